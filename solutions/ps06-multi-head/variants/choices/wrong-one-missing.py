# wrong: one statement left out
# loses: choices--answers
# told: not answered yet: p
answers = {letter: letter in "abdefilmo" for letter in "abcdefghijklmno"}
