# wrong: sigmoid and tanh swapped
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: have changed places
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.tanh(f) * c + torch.tanh(i) * torch.sigmoid(g)
    return torch.tanh(o) * torch.sigmoid(c), c
