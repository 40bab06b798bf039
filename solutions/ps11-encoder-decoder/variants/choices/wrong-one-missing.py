# wrong: one statement left out
# loses: choices--answers
# told: n: not answered
answers = {letter: letter in "achij" for letter in "abcdefghijklm"}
