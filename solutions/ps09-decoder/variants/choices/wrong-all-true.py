# wrong: everything is true
# loses: choices--answers
# told: it is False. The order in which
answers = dict.fromkeys("abcdefghijkl", True)
