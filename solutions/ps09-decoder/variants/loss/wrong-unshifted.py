# wrong: logits held against the token that was read
# loses: loss--by-hand loss--tokens loss--padding loss--gradients
# told: token at place t: that one was read
def windows(ids, T):
    M = (len(ids) - 1) // T
    inputs = ids[: M * T].reshape(M, T)
    targets = ids[1 : M * T + 1].reshape(M, T)
    return inputs, targets


def lm_loss(logits, tokens, lengths):
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, tokens[:, :, None])[:, :, 0]
    place = torch.arange(tokens.shape[1])
    real = place < lengths[:, None]
    return -right[real].mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(nats / n_bytes)
