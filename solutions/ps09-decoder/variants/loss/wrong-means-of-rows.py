# wrong: the mean over rows of their means
# loses: loss--tokens loss--padding loss--gradients
# told: mean over the rows of each row
def windows(ids, T):
    M = (len(ids) - 1) // T
    inputs = ids[: M * T].reshape(M, T)
    targets = ids[1 : M * T + 1].reshape(M, T)
    return inputs, targets


def lm_loss(logits, tokens, lengths):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    right = log_p.gather(-1, tokens[:, 1:, None])[:, :, 0]
    place = torch.arange(1, tokens.shape[1])
    real = place < lengths[:, None]
    rows = (right * real).sum(1) / real.sum(1)
    return -rows.mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(nats / n_bytes)
