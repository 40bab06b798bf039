# wrong: NaN is overwritten
# loses: bug--far bug--company bug--gradients
# told: hides 0/0
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp(r - r.max())
    total = e.new_zeros(B).index_add(0, owner, e)
    a = torch.nan_to_num(e / total[owner])
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
