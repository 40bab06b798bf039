# wrong: keeps all of the cell
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: forget gate is missing
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
