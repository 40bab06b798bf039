# wrong: a heavy word can only support the prediction
# loses: choices--answers
# told: not for which class it speaks
answers = {letter: letter in "abchjl" for letter in "abcdefghijkl"}
