# wrong: thinks forcing changes the share right throughout
# loses: choices--answers
# told: first mistake
answers = {letter: letter in "acdhijln" for letter in "abcdefghijklmn"}
