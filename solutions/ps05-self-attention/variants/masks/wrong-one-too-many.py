# wrong: the first padding place counts as real
# loses: masks--padding masks--both
# told: one place too many
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding_mask(lengths, S):
    return (torch.arange(S) <= lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) & padding_mask(lengths, T)
