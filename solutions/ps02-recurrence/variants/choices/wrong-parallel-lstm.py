# wrong: gates as a way to compute all at once
# loses: choices--answers
# told: each step still waits
answers = {letter: letter in "aefhikmn" for letter in "abcdefghijklmn"}
