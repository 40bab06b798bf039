# wrong: takes Shaw's bias for a number of the offset
# loses: choices--answers
# told: another query, another bias
answers = {letter: letter in "bcghjln" for letter in "abcdefghijklmn"}
