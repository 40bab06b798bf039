# right: set one after the other
answers = {}
for letter in "abcdefghijkl":
    answers[letter] = letter in "abcghjl"
