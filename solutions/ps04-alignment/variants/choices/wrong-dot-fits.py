# wrong: takes any two widths to have a dot product
# loses: choices--answers
# told: two vectors of one width
answers = {letter: letter in "acdijkln" for letter in "abcdefghijklmn"}
