# wrong: adds the gradient
# loses: bug--centres bug--contexts bug--at-once bug--same bug--inputs
# told: uphill
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = rate * (error * v).sum(dim=1)
    down_V = (rate * error * w).flatten(0, 1)
    W = W.index_add(0, centre, down_W)
    V = V.index_add(0, words.flatten(), down_V)
    return W, V
