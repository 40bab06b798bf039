# wrong: takes weights for proof
# loses: choices--answers
# told: where the decoder looked
answers = {letter: letter in "acdghijkln" for letter in "abcdefghijklmn"}
