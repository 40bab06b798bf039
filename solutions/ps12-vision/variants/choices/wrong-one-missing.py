# wrong: one statement left out
# loses: choices--answers
# told: not answered yet: l
answers = {letter: letter in "abcefgi" for letter in "abcdefghijk"}
