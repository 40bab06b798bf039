# wrong: empties the rows of padding queries too
# loses: masks--both
# told: empties the rows of the queries
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    real = padding_mask(lengths, T)
    return causal_mask(T) & real & real.transpose(1, 2)
