# wrong: one statement left out
# loses: choices--answers
# told: n: not answered
answers = {letter: letter in "aceghm" for letter in "abcdefghijklm"}
