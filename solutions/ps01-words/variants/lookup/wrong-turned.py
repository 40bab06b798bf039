# wrong: a row for each word
# loses: lookup--one-hot
# told: turned round
def one_hot(ids, n):
    return torch.eye(n)[ids].mT


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
