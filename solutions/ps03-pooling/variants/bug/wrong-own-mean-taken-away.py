# wrong: the mean of each sentence, which a score may exceed by far
# loses: bug--large
# told: infinite
def mended_pool(h, owner, u, B):
    r = h @ u
    many = torch.bincount(owner, minlength=B).clamp(min=1)
    mean = r.new_zeros(B).index_add(0, owner, r) / many
    e = torch.exp(r - mean[owner])
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
