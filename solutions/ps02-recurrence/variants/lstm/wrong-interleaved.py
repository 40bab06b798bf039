# wrong: each gate from every fourth column
# loses: lstm--values lstm--state lstm--carried lstm--gradients lstm--by-hand lstm--inputs
# told: interleaved
def lstm_step(x_t, h, c, W, U, b):
    sums = x_t @ W + h @ U + b
    i, f, g, o = (sums[:, k::4] for k in range(4))
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
