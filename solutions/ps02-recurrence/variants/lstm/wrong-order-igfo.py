# wrong: reads the blocks as i, g, f, o
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: You read the blocks as i, g, f, o
def lstm_step(x_t, h, c, W, U, b):
    i, g, f, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
