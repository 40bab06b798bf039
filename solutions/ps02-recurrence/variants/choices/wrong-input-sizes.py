# wrong: U as wide as the words
# loses: choices--answers
# told: U takes a state to a state
answers = {letter: letter in "cefhikm" for letter in "abcdefghijklmn"}
