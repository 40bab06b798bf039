# wrong: everything is true
# loses: choices--answers
# told: it is False. The scores double
answers = {letter: True for letter in "abcdefghijkl"}
