# wrong: one statement left out
# loses: choices--answers
# told: not answered yet: l
answers = {letter: letter in "adfhj" for letter in "abcdefghijk"}
