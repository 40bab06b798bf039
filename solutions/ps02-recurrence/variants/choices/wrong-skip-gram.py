# wrong: skip-gram as a recurrent net
# loses: choices--answers
# told: nothing is multiplied over and over
answers = {letter: letter in "aefhijkm" for letter in "abcdefghijklmn"}
