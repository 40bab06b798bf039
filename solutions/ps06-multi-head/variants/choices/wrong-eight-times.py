# wrong: takes heads to multiply the cost
# loses: choices--answers
# told: an eighth as wide
answers = {letter: letter in "abdefhlmo" for letter in "abcdefghijklmnop"}
