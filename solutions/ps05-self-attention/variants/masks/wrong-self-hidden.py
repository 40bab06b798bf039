# wrong: no position sees itself
# loses: masks--causal masks--both
# told: hides each position from itself
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril(-1)


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) & padding_mask(lengths, T)
