# wrong: adds 1 to the forget gate
# loses: lstm--by-hand lstm--values lstm--state lstm--gradients
# told: A 1 is added
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f + 1) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
