# wrong: writes -10000 into hidden scores, which a lower one outweighs
# loses: masks--values
# told: not low enough: scores that count are lower
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    seen = (j <= i) & (i - j < windows[:, None, None])
    return seen & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask.unsqueeze(1)
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(~mask, -1e4)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights
