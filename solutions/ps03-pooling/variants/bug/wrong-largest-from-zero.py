# wrong: the largest score of a sentence is taken to be at least 0
# loses: bug--far
# told: 0/0
def mended_pool(h, owner, u, B):
    r = h @ u
    most = r.new_zeros(B).scatter_reduce(0, owner, r.detach(), "amax")
    e = torch.exp(r - most[owner])
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
