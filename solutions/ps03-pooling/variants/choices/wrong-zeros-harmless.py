# wrong: zeros add nothing
# loses: choices--answers
# told: they take weight
answers = {letter: letter in "abceghjl" for letter in "abcdefghijkl"}
