# wrong: the logarithm of a probability that may have been rounded to 0
# loses: loss--by-hand
# told: loss is infinite
def windows(ids, T):
    M = (len(ids) - 1) // T
    inputs = ids[: M * T].reshape(M, T)
    targets = ids[1 : M * T + 1].reshape(M, T)
    return inputs, targets


def lm_loss(logits, tokens, lengths):
    log_p = logits[:, :-1].softmax(dim=-1).log()
    right = log_p.gather(-1, tokens[:, 1:, None])[:, :, 0]
    real = torch.arange(1, tokens.shape[1]) < lengths[:, None]
    return -right[real].mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(nats / n_bytes)
