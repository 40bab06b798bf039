# wrong: one gate for both, as in a GRU
# loses: lstm--by-hand lstm--values lstm--state lstm--gradients
# told: a GRU would
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + (1 - torch.sigmoid(f)) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
