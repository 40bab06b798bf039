# wrong: floats 0 and 1 in place of booleans
# loses: masks--causal masks--padding masks--both
# told: a mask here is boolean
def causal_mask(T):
    return torch.tril(torch.ones(T, T))


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :].float()


def decoder_mask(lengths, T):
    return causal_mask(T) * padding_mask(lengths, T)
