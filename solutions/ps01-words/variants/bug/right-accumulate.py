# right: index_put_ that accumulates, on copies
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    new_W, new_V = W.clone(), V.clone()
    new_W.index_put_((centre,), down_W, accumulate=True)
    new_V.index_put_((words.flatten(),), down_V, accumulate=True)
    return new_W, new_V
