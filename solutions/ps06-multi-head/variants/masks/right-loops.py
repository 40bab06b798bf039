# right: entry by entry; empty rows apart
def heads_mask(real, windows, T):
    B, S = real.shape
    mask = torch.zeros(B, len(windows), T, S, dtype=torch.bool)
    for h, w in enumerate(windows.tolist()):
        for i in range(T):
            place = S - T + i
            first = max(0, place - w + 1)
            mask[:, h, i, first : place + 1] = real[:, first : place + 1]
    return mask


def masked_heads(Q, K, V, mask):
    mask = mask.view(len(Q), -1, *mask.shape[-2:])
    some = mask.any(dim=-1, keepdim=True)
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(~(mask | ~some), -math.inf)
    weights = torch.where(some, scores.softmax(dim=-1), 0.0)
    return weights @ V, weights
