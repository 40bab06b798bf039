# wrong: reads the blocks as f, i, o, g
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: You read the blocks as f, i, o, g
def lstm_step(x_t, h, c, W, U, b):
    f, i, o, g = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
