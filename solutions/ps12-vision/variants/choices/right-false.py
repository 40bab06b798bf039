# right: those that are false by name
answers = {letter: letter not in "dhjkl" for letter in "abcdefghijkl"}
