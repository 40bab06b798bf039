# wrong: PyTorch's one_hot
# loses: lookup--one-hot
# told: `one_hot`.*writes by hand
def one_hot(ids, n):
    return torch.nn.functional.one_hot(ids, n).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
