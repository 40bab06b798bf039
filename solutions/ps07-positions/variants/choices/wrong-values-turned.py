# wrong: takes the values to be turned too
# loses: choices--answers
# told: only queries and keys are turned
answers = {letter: letter in "bcgjlmn" for letter in "abcdefghijklmn"}
