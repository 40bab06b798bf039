# wrong: takes layer norm for batch norm
# loses: choices--answers
# told: it keeps none
answers = {letter: letter in "abcefkn" for letter in "abcdefghijklmn"}
