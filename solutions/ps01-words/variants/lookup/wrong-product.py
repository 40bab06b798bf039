# wrong: multiplies by the one-hot rows
# loses: lookup--rows
# told: reads all of W
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return one_hot(ids, len(W)).to(W.dtype) @ W


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
