# wrong: mends W and forgets V
# loses: bug--contexts
# told: comes several times among contexts
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.index_add(0, centre, down_W)
    V = V.clone()
    V[words.flatten()] += down_V
    return W, V
