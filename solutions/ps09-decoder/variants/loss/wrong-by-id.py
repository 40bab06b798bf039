# wrong: padding known by the id of the last place
# loses: loss--by-hand loss--tokens loss--padding loss--gradients
# told: Padding is taken to be where the id
def windows(ids, T):
    M = (len(ids) - 1) // T
    inputs = ids[: M * T].reshape(M, T)
    targets = ids[1 : M * T + 1].reshape(M, T)
    return inputs, targets


def lm_loss(logits, tokens, lengths):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    right = log_p.gather(-1, tokens[:, 1:, None])[:, :, 0]
    real = tokens[:, 1:] != 0
    return -right[real].mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(nats / n_bytes)
