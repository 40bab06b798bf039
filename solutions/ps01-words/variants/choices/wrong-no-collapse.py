# wrong: thinks that the loss needs no negatives
# loses: choices--answers
# told: keep words apart
answers = {letter: letter in "acdfgim" for letter in "abcdefghijklmn"}
