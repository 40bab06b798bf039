# right: some answers computed from the sizes
D, F = 512, 2048
answers = dict.fromkeys("abcdefghijklmn", False)
for letter in "cdefn":
    answers[letter] = True
answers["k"] = 2 * D * F == 2 * (4 * D * D)
