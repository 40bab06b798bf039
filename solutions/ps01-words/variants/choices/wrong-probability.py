# wrong: takes the sigmoid for a probability over words
# loses: choices--answers
# told: do not sum to 1 over the words
answers = {letter: letter in "acdfghijm" for letter in "abcdefghijklmn"}
