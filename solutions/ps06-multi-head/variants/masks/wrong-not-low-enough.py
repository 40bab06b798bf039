# wrong: takes 100 away, which a large score outweighs
# loses: masks--values
# told: a large number in a hidden place
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = (scores - 100.0 * ~mask).softmax(dim=-1)
    weights = weights * mask.any(dim=-1, keepdim=True)
    return weights @ V, weights
