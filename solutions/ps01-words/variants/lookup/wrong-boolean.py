# wrong: True and False
# loses: lookup--one-hot
# told: bool
def one_hot(ids, n):
    return ids[:, None] == torch.arange(n)


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
