# wrong: takes there and back for a proof
# loses: choices--answers
# told: where a single number lands
answers = {letter: letter in "abdefgilmo" for letter in "abcdefghijklmnop"}
