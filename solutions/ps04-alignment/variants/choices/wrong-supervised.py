# wrong: takes partners to be shown
# loses: choices--answers
# told: Nobody names partners
answers = {letter: letter in "acdfhijkln" for letter in "abcdefghijklmn"}
