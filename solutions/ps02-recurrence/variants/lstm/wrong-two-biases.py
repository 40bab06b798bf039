# wrong: adds the bias twice
# loses: lstm--by-hand lstm--values lstm--state lstm--gradients
# told: bias counts twice
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + b + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
