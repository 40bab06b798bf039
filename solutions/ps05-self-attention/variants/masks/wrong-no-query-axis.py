# wrong: the padding mask lacks the axis for the queries
# loses: masks--padding
# told: give it an axis for the queries
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding_mask(lengths, S):
    return torch.arange(S) < lengths[:, None]


def decoder_mask(lengths, T):
    return causal_mask(T) & padding_mask(lengths, T)[:, None, :]
