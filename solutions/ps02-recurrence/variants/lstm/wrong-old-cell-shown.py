# wrong: shows the old cell
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: cell of the step before
def lstm_step(x_t, h, c, W, U, b):
    old = c
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(old), c
