# wrong: divides by the counts
# loses: lookup--repeated
# told: you take the mean
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    counts = torch.bincount(ids, minlength=n).clamp(min=1)
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G) / counts[:, None]
