# right: triangles; the mask mended after the softmax
def heads_mask(real, windows, T):
    S = real.shape[1]
    ones = torch.ones(T, S, dtype=torch.bool)
    rows = [ones.tril(S - T).triu(S - T - w + 1) for w in windows.tolist()]
    return torch.logical_and(torch.stack(rows), real.unsqueeze(1).unsqueeze(1))


def masked_heads(Q, K, V, mask):
    mask = mask if mask.ndim == 4 else mask.unsqueeze(1)
    scores = torch.einsum("bhtk,bhsk->bhts", Q, K) / Q.size(-1) ** 0.5
    scores = scores.masked_fill(mask.logical_not(), -math.inf)
    weights = scores.softmax(-1).masked_fill(mask.logical_not(), 0.0)
    return weights @ V, weights
