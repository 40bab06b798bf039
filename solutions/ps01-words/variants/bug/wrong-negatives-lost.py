# wrong: contexts add up, negatives do not
# loses: bug--contexts
# told: of negatives still get lost
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W.index_add(0, centre, down_W)
    down_V = down_V.view(*words.shape, -1)
    V = V.index_add(0, context, down_V[:, 0])
    V[negatives] += down_V[:, 1:]
    return W, V
