# wrong: takes the feed-forward layer to mix tokens, and costs to double
# loses: choices--answers
# told: moves anything between tokens
answers = {letter: letter in "cdefjkln" for letter in "abcdefghijklmn"}
