# wrong: knows no mask for all heads
# loses: masks--shared masks--empty
# told: stops with RuntimeError in a hidden test
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask.expand(Q.shape[:3] + K.shape[2:3])
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask
    return weights @ V, weights
