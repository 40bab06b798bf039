# wrong: takes a step to be x W alone
# loses: choices--answers
# told: That leaves out h U
answers = {letter: letter in "adefhikm" for letter in "abcdefghijklmn"}
