# wrong: one statement left out
# loses: choices--answers
# told: n: not answered
answers = {letter: letter in "acdhijkln" for letter in "abcdefghijklm"}
