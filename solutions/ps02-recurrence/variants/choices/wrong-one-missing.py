# wrong: one statement left out
# loses: choices--answers
# told: n: not answered
answers = {letter: letter in "aefhikm" for letter in "abcdefghijklm"}
