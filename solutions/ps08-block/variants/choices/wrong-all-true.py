# wrong: everything is true
# loses: choices--answers
# told: it is False. Over the D numbers
answers = dict.fromkeys("abcdefghijklmn", True)
