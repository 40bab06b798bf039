# wrong: counts words and forgets what arrived
# loses: lookup--gradient lookup--repeated
# told: you count how often
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    counts = torch.bincount(ids, minlength=n).to(G.dtype)
    return counts[:, None].expand(n, G.shape[1])
