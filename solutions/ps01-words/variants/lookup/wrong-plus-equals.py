# wrong: += with an index keeps one row as well
# loses: lookup--repeated
# told: writes each row once
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).float()


def look_up(ids, W):
    return W[ids]


def look_up_gradient(ids, G, n):
    dW = G.new_zeros(n, G.shape[1])
    dW[ids] += G
    return dW
