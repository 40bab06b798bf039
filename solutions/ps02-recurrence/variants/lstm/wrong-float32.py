# wrong: converts to 32 bits
# loses: lstm--values lstm--state lstm--gradients
# told: float32, while its inputs are float64
def lstm_step(x_t, h, c, W, U, b):
    x_t, h, c, W, U, b = (v.float() for v in (x_t, h, c, W, U, b))
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
