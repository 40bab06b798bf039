# wrong: all words in one row
# loses: lookup--one-hot
# told: all words into one row
def one_hot(ids, n):
    row = torch.zeros(n)
    row[ids] = 1
    return row


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
