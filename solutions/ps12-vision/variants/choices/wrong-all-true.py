# wrong: everything is true
# loses: choices--answers
# told: it is False. Those rows are strips
answers = dict.fromkeys("abcdefghijkl", True)
