# wrong: leaves out the bias
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: bias is missing|after 1 steps
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
