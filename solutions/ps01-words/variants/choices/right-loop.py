# right: set one after the other
answers = {}
for letter in "abcdefghijklmn":
    answers[letter] = letter in "acdfgijm"
