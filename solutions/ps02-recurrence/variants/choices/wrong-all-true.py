# wrong: everything is true
# loses: choices--answers
# told: it is False. W, U and b are the same
answers = {letter: letter in "abcdefghijklmn" for letter in "abcdefghijklmn"}
