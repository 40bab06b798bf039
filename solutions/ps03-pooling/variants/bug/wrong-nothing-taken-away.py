# wrong: the line is struck out
# loses: bug--far bug--large bug--gradients
# told: exp\(1000\) is infinite
def mended_pool(h, owner, u, B):
    e = torch.exp(h @ u)
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
