# wrong: V moves by the new W
# loses: bug--contexts bug--at-once bug--same
# told: V moves by the new W
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    W = W.index_add(0, centre, down_W)
    down_V = (-rate * error * W[centre][:, None, :]).flatten(0, 1)
    V = V.index_add(0, words.flatten(), down_V)
    return W, V
