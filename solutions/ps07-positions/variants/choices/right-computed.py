# right: the answers are set one after the other, some as comparisons
answers = dict.fromkeys("abcdefghijklmn", False)
for letter in "bcgjln":
    answers[letter] = True
answers["g"] = min(5, 4) == min(7, 4)
