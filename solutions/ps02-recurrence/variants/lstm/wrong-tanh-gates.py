# wrong: gates through a tanh
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: gate lies between 0 and 1
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.tanh(f) * c + torch.tanh(i) * torch.tanh(g)
    return torch.tanh(o) * torch.tanh(c), c
