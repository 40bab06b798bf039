# wrong: computes in 64 bits, which only moves the limit
# loses: bug--far bug--company
# told: 0/0 is NaN
def mended_pool(h, owner, u, B):
    r = (h @ u).double()
    e = torch.exp(r - r.max())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = (e / total[owner]).to(h.dtype)
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
