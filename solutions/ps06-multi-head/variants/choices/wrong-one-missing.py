# wrong: one statement left out
# loses: choices--answers
# told: p: not answered
answers = {letter: letter in "abdefilmo" for letter in "abcdefghijklmno"}
