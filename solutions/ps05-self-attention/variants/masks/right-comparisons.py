# right: all three by comparing positions
def causal_mask(T):
    place = torch.arange(T)
    return place.unsqueeze(0) <= place.unsqueeze(1)


def padding_mask(lengths, S):
    return (torch.arange(S)[None, :] < lengths[:, None]).unsqueeze(1)


def decoder_mask(lengths, T):
    return torch.logical_and(causal_mask(T), padding_mask(lengths, T))
