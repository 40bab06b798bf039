# wrong: True = hidden, as nn.MultiheadAttention has it
# loses: masks--causal masks--padding masks--both
# told: True = may be attended to
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).triu(1)


def padding_mask(lengths, S):
    return (torch.arange(S) >= lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) | padding_mask(lengths, T)
