# wrong: moves the caller's matrices
# loses: bug--inputs
# told: changes its input W
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W.index_add_(0, centre, down_W)
    V.index_add_(0, words.flatten(), down_V)
    return W, V
