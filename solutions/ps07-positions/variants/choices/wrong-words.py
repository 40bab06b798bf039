# wrong: answers in words
# loses: choices--answers
# told: without quotation marks
answers = {letter: "true" if letter in "bcgjln" else "false" for letter in "abcdefghijklmn"}
