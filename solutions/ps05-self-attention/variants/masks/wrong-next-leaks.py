# wrong: the diagonal is one off, the next token leaks
# loses: masks--causal masks--both
# told: lets each position see the next one
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril(1)


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) & padding_mask(lengths, T)
