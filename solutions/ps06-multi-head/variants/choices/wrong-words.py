# wrong: answers in words
# loses: choices--answers
# told: without quotation marks
answers = {letter: "true" if letter in "abdefilmo" else "false" for letter in "abcdefghijklmnop"}
