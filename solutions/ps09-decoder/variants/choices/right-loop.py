# right: those that are true by name
true = {"a", "d", "f", "h", "j"}
answers = {letter: letter in true for letter in "abcdefghijkl"}
