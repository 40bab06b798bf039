# wrong: takes zeros after the softmax for -inf before it
# loses: choices--answers
# told: no longer sum to 1
answers = {letter: letter in "aceghlm" for letter in "abcdefghijklmn"}
