# wrong: everything is true
# loses: choices--answers
# told: it is False. What stands side by side
answers = dict.fromkeys("abcdefghijklmnop", True)
