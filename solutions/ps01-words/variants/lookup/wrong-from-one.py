# wrong: counts ids from 1
# loses: lookup--one-hot
# told: they start at 0
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(1, n + 1)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
