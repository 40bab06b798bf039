# wrong: answers in words
# loses: choices--answers
# told: without quotation marks
answers = {letter: "True" if letter in "acdfgijm" else "False" for letter in "abcdefghijklmn"}
