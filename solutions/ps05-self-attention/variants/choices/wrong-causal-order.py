# wrong: takes a causal mask to know no order
# loses: choices--answers
# told: depends on the order
answers = {letter: letter in "aceghkm" for letter in "abcdefghijklmn"}
