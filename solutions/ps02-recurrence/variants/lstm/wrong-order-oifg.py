# wrong: reads the blocks as o, i, f, g
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: You read the blocks as o, i, f, g
def lstm_step(x_t, h, c, W, U, b):
    o, i, f, g = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
