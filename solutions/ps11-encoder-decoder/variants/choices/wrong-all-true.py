# wrong: everything is true
# loses: choices--answers
# told: it is False. What is still to come
answers = dict.fromkeys("abcdefghijklmn", True)
