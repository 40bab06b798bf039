# wrong: differences are cut off
# loses: bug--far bug--company bug--gradients
# told: your weights are even
def mended_pool(h, owner, u, B):
    r = h @ u
    e = torch.exp((r - r.max()).clamp(min=-80))
    total = e.new_zeros(B).index_add(0, owner, e)
    a = e / total[owner]
    return h.new_zeros(B, h.shape[1]).index_add(0, owner, a[:, None] * h), a
