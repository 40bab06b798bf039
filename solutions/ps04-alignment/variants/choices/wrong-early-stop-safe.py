# wrong: takes stopping at K ends to be safe
# loses: choices--answers
# told: stumps
answers = {letter: letter in "acdhijkl" for letter in "abcdefghijklmn"}
