# wrong: forgets the padding
# loses: masks--both
# told: the causal one alone
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T).expand(len(lengths), T, T)
