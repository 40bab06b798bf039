# right: products with one-hot rows turned round
def mended_step(W, V, centre, context, negatives, rate):
    words = torch.cat([context[:, None], negatives], dim=1)
    w, v = W[centre][:, None, :], V[words]
    error = torch.sigmoid((w * v).sum(dim=-1, keepdim=True))
    error[:, 0] -= 1.0
    down_W = -rate * (error * v).sum(dim=1)
    down_V = (-rate * error * w).flatten(0, 1)
    W = W + torch.eye(len(W), dtype=W.dtype)[centre].mT @ down_W
    V = V + torch.eye(len(V), dtype=V.dtype)[words.flatten()].mT @ down_V
    return W, V
