# wrong: rows and columns mixed up
# loses: masks--causal masks--both
# told: rows are queries, columns are keys
def causal_mask(T):
    place = torch.arange(T)
    return place[:, None] <= place[None, :]


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) & padding_mask(lengths, T)
