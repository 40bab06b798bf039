# wrong: 1 - f keeps
# loses: lstm--values lstm--state lstm--carried lstm--gradients lstm--by-hand lstm--inputs
# told: forget gate is turned round
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = (1 - torch.sigmoid(f)) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c
