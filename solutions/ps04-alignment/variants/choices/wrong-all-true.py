# wrong: everything is true
# loses: choices--answers
# told: it is False. More fits
answers = dict.fromkeys("abcdefghijklmn", True)
