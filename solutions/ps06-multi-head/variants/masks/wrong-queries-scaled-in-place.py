# wrong: divides Q in place
# loses: masks--shared
# told: changes its input Q
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    seen = (j <= i) & (i - j < windows[:, None, None])
    return seen & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask.unsqueeze(1)
    Q /= math.sqrt(Q.shape[-1])
    scores = Q @ K.mT
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights
