# right: some answers computed
answers = dict.fromkeys("abcdefghijklmn", False) | dict.fromkeys("achj", True)
answers["i"] = 4000 / 4 == 1000
answers["n"] = 100 * math.exp(1 - 2) < 50
