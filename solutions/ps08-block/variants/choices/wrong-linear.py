# wrong: takes two layers of attention to be linear
# loses: choices--answers
# told: only for weights that are held fixed
answers = {letter: letter in "cdefikn" for letter in "abcdefghijklmn"}
