# wrong: takes a looked-up vector to know its sentence
# loses: choices--answers
# told: the same row in every sentence
answers = {letter: letter in "acdfgijmn" for letter in "abcdefghijklmn"}
