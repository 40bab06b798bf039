# wrong: takes both orders to be idle alike
# loses: choices--answers
# told: norms stand on the residual path
answers = {letter: letter in "cdefgkn" for letter in "abcdefghijklmn"}
