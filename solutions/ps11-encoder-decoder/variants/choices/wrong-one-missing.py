# wrong: one statement left out
# loses: choices--answers
# told: not answered yet: n
answers = {letter: letter in "achij" for letter in "abcdefghijklm"}
