# wrong: the words are mended, the second question is not
# loses: bug--next bug--gradients bug--none
# told: 0 is padding among the words
def mended_loss(logits, words, weights, follows, truth):
    log_p = logits.log_softmax(dim=-1)
    each = -log_p.gather(-1, words[..., None])[..., 0]
    of_words = (each * weights).sum() / weights.sum().clamp(min=1)
    return of_words, mean_nll(follows, truth, ignored=PAD)
