# wrong: one statement left out
# loses: choices--answers
# told: l: not answered
answers = {letter: letter in "abcefgi" for letter in "abcdefghijk"}
