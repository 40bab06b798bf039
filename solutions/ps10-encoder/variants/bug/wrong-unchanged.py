# wrong: the published code as it was
# loses: bug--words bug--next bug--gradients bug--none
# told: 0 is padding among the words
def mended_loss(logits, words, weights, follows, truth):
    return published_loss(logits, words, weights, follows, truth)
