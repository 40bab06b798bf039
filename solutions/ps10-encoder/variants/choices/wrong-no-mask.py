# wrong: takes [CLS] to need no mask, and places to come from a formula
# loses: choices--answers
# told: padding gets a share
answers = {letter: letter in "adehklm" for letter in "abcdefghijklmn"}
