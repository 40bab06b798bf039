# wrong: one statement left out
# loses: choices--answers
# told: l: not answered
answers = {letter: letter in "adfhj" for letter in "abcdefghijk"}
