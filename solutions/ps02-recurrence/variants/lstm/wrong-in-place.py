# wrong: changes the cell it was given
# loses: lstm--inputs
# told: changes its input c
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    new = torch.sigmoid(f) * c.clone() + torch.sigmoid(i) * torch.tanh(g)
    c.data.copy_(new)
    return torch.sigmoid(o) * torch.tanh(new), new
