# wrong: clipping as a cure for vanishing
# loses: choices--answers
# told: What has vanished stays so
answers = {letter: letter in "aefghikm" for letter in "abcdefghijklmn"}
