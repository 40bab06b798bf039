# wrong: one row for each id
# loses: lookup--gradient lookup--repeated
# told: a row for each id
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G
