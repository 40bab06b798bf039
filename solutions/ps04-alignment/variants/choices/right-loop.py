# right: the false ones named
answers = {}
for letter in "abcdefghijklmn":
    answers[letter] = letter not in "befgm"
