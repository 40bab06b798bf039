# wrong: no mean any more, but a row of losses times a column of weights
# loses: bug--words bug--gradients bug--none
# told: every loss meets every weight
def mended_loss(logits, words, weights, follows, truth):
    V = logits.shape[-1]
    log_p = logits.reshape(-1, V).log_softmax(dim=-1)
    loss = -log_p.gather(1, words.reshape(-1, 1))[:, 0]
    loss = loss * weights.reshape(-1, 1)
    of_words = loss.sum() / (weights.sum() + 1e-8)
    return of_words, mean_nll(follows, truth)
