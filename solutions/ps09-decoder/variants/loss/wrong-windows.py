# wrong: windows with T - 1 targets
# loses: loss--windows
# told: T - 1 targets
def windows(ids, T):
    M = len(ids) // T
    rows = ids[: M * T].reshape(M, T)
    return rows[:, :-1], rows[:, 1:]


def lm_loss(logits, tokens, lengths):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    right = log_p.gather(-1, tokens[:, 1:, None])[:, :, 0]
    place = torch.arange(1, tokens.shape[1])
    real = place < lengths[:, None]
    return -right[real].mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(nats / n_bytes)
