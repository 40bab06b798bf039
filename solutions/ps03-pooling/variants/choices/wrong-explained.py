# wrong: other weights prove the model's own to be mistaken
# loses: choices--answers
# told: does not make one wrong
answers = {letter: letter in "abcghijkl" for letter in "abcdefghijkl"}
