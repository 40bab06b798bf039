# wrong: one statement left out
# loses: choices--answers
# told: n: not answered
answers = {letter: letter in "cdefk" for letter in "abcdefghijklm"}
