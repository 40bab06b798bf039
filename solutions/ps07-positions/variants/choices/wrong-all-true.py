# wrong: everything is true
# loses: choices--answers
# told: it is False. The formula holds
answers = dict.fromkeys("abcdefghijklmn", True)
