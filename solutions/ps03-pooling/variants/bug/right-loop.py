# right: one sentence after the other
def mended_pool(h, owner, u, B):
    r = h @ u
    a = torch.zeros_like(r)
    vectors = h.new_zeros(B, h.shape[1])
    for i in range(B):
        mine = (owner == i).nonzero()[:, 0]
        if len(mine):
            weights = r[mine].softmax(0)
            a = a.index_copy(0, mine, weights)
            vectors = vectors.index_copy(0, torch.tensor([i]), (weights @ h[mine])[None])
    return vectors, a
