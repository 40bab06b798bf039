# wrong: gates without the state
# loses: lstm--values lstm--state lstm--gradients
# told: h U is missing
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
