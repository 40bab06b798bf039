# right: the three tables as one, and one look-up whose rows are added
def embed(ids, segments, E, P, S, gain, bias, eps):
    T = ids.size(1)
    if T > P.size(0):
        raise ValueError("T = {} tokens, but there are {} places".format(T, P.size(0)))
    table = torch.cat((E, P, S))
    rows = torch.stack((
        ids,
        len(E) + torch.arange(T).expand_as(ids),
        len(E) + len(P) + segments,
    ))
    x = table[rows].sum(dim=0)
    return F.layer_norm(x, gain.shape, weight=gain, bias=bias, eps=eps)
