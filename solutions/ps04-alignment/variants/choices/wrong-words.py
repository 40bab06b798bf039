# wrong: answers in words
# loses: choices--answers
# told: without quotation marks
answers = {letter: "true" if letter in "acdhijkln" else "false" for letter in "abcdefghijklmn"}
