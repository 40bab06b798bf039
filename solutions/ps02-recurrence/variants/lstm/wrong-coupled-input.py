# wrong: forgets as much as it lets in
# loses: lstm--by-hand lstm--values lstm--state lstm--gradients
# told: f is a gate of its own
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = (1 - torch.sigmoid(i)) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
