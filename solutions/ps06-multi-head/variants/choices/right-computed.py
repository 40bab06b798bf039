# right: some of them computed
answers = {letter: letter in "abdefilmo" for letter in "abcdefghijklmnop"}
answers["a"] = 4 * 37 == 148
answers["c"] = 4 * 25 == 148
answers["d"] = 4 * 30 == 120
