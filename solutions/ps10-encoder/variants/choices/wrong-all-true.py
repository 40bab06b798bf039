# wrong: everything is true
# loses: choices--answers
# told: it is False. A tenth of the chosen
answers = dict.fromkeys("abcdefghijklmn", True)
