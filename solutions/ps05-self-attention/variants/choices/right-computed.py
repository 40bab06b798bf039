# right: the answers are set one after the other, some as comparisons
answers = dict.fromkeys("abcdefghijklmn", False)
for letter in "aceghm":
    answers[letter] = True
answers["f"] = (37, 37) == (3, 3)
