# wrong: 0 and -inf, to be added to the scores
# loses: masks--causal masks--both
# told: a mask here is boolean
def causal_mask(T):
    return torch.full((T, T), -math.inf).triu(1)


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    hidden = ~padding_mask(lengths, T)
    return causal_mask(T) + torch.zeros(hidden.shape).masked_fill(hidden, -math.inf)
