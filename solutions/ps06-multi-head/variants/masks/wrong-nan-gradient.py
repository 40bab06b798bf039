# wrong: NaN is mended in the output, and lives on in the gradient
# loses: masks--gradients
# told: 0 · NaN is NaN
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    hide = torch.zeros(mask.shape, dtype=Q.dtype).masked_fill(~mask, -math.inf)
    weights = torch.nan_to_num((scores + hide).softmax(dim=-1))
    return weights @ V, weights
