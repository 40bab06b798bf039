# wrong: takes cross-attention to leak
# loses: choices--answers
# told: given from the beginning
answers = {letter: letter in "abdefilm" for letter in "abcdefghijklmnop"}
