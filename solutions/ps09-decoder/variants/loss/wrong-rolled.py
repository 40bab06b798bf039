# wrong: each window's targets rolled round, and a perplexity per token
# loses: loss--windows loss--per-byte
# told: own first token|per token
def windows(ids, T):
    M = (len(ids) - 1) // T
    inputs = ids[: M * T].reshape(M, T)
    return inputs, inputs.roll(-1, dims=1)


def lm_loss(logits, tokens, lengths):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    right = log_p.gather(-1, tokens[:, 1:, None])[:, :, 0]
    place = torch.arange(1, tokens.shape[1])
    real = place < lengths[:, None]
    return -right[real].mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(loss)
