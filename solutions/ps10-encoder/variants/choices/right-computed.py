# right: two answers computed
answers = {letter: letter in "dehln" for letter in "abcdefghijklmn"}
answers["a"] = round(0.15 * 0.8, 6) == 0.12
answers["b"] = round(0.15 * 0.1, 6) == 0.1
