# wrong: what is not missed was not used
# loses: choices--answers
# told: other words may say the same
answers = {letter: letter in "abcfghjl" for letter in "abcdefghijkl"}
