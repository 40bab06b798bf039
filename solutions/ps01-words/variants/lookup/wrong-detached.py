# wrong: through a list of numbers
# loses: lookup--rows
# told: no gradient flows
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return torch.tensor([W[word].tolist() for word in ids], dtype=W.dtype)


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
