# wrong: padding ignored by its id, NaN where no slot is in use
# loses: bug--none
# told: this is 0/0
def mended_loss(logits, words, weights, follows, truth):
    V = logits.shape[-1]
    of_words = mean_nll(logits.reshape(-1, V), words.reshape(-1), ignored=PAD)
    return of_words, mean_nll(follows, truth)
