# right: filled entry by entry
def causal_mask(T):
    mask = torch.zeros(T, T, dtype=torch.bool)
    for i in range(T):
        mask[i, : i + 1] = True
    return mask


def padding_mask(lengths, S):
    mask = torch.zeros(len(lengths), 1, S, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        mask[b, 0, :n] = True
    return mask


def decoder_mask(lengths, T):
    mask = torch.zeros(len(lengths), T, T, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        for i in range(T):
            for j in range(T):
                mask[b, i, j] = j <= i and j < n
    return mask
