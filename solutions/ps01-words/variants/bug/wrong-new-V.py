# wrong: W moves by the new V
# loses: bug--centres bug--at-once bug--same
# told: W moves by the new V
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w = W[centre][:, None, :]
    error = torch.sigmoid((w * V[words]).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    V = V.index_add(0, words.flatten(), (-rate * error * w).flatten(0, 1))
    W = W.index_add(0, centre, -rate * (error * V[words]).sum(dim=1))
    return W, V
