# wrong: everything is true
# loses: choices--answers
# told: it is False. It is a vector
answers = dict.fromkeys("abcdefghijklmn", True)
