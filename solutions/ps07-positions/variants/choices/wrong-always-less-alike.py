# wrong: takes codes to be less alike with each step
# loses: choices--answers
# told: swing
answers = {letter: letter in "bcegjln" for letter in "abcdefghijklmn"}
