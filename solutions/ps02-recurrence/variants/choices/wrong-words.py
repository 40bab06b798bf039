# wrong: answers in words
# loses: choices--answers
# told: without quotation marks
answers = {letter: "True" if letter in "aefhikm" else "False" for letter in "abcdefghijklmn"}
