# wrong: only sentences that have words get a row
# loses: bug--empty
# told: shape
def mended_pool(h, owner, u, B):
    vectors, a = [], torch.zeros_like(h @ u)
    for i in owner.unique():
        mine = (owner == i).nonzero()[:, 0]
        weights = (h[mine] @ u).softmax(0)
        a = a.index_copy(0, mine, weights)
        vectors.append(weights @ h[mine])
    return torch.stack(vectors), a
