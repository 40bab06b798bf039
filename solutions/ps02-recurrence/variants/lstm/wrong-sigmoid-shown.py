# wrong: shows the cell through a sigmoid
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: state goes through a sigmoid
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.sigmoid(c), c
