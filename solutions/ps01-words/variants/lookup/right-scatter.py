# right: scatter both ways, gather
def one_hot(ids, n):
    return torch.zeros(len(ids), n).scatter(1, ids[:, None], 1.0)


def look_up(ids, W):
    return W.gather(0, ids[:, None].expand(-1, W.shape[1]))


def look_up_gradient(ids, G, n):
    dW = G.new_zeros(n, G.shape[1])
    return dW.scatter_add(0, ids[:, None].expand_as(G), G)
