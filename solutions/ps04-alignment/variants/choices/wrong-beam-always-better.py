# wrong: takes a wider beam to be never worse
# loses: choices--answers
# told: pushed out
answers = {letter: letter in "acdhijklmn" for letter in "abcdefghijklmn"}
