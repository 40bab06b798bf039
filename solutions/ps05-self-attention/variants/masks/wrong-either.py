# wrong: allowed by either mask
# loses: masks--both
# told: what either of the two masks allows
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) | padding_mask(lengths, T)
