# wrong: everything is true
# loses: choices--answers
# told: it is False. The words have 2, 3, 4
answers = {letter: letter in "abcdefghijklmn" for letter in "abcdefghijklmn"}
