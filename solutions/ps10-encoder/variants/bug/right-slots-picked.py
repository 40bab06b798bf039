# right: the slots in use alone, known by their words
def mended_loss(logits, words, weights, follows, truth):
    used = words != PAD
    if used.any():
        of_words = mean_nll(logits[used], words[used])
    else:
        of_words = logits.sum() * 0.0
    return of_words, mean_nll(follows, truth)
