# wrong: the mean of the scores in place of the largest
# loses: bug--far bug--company bug--large bug--gradients
# told: infinite|0/0
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp(r - r.mean())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
