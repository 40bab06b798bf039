# wrong: takes the alignment to run from left to right
# loses: choices--answers
# told: third piece
answers = {letter: letter in "acehijkln" for letter in "abcdefghijklmn"}
