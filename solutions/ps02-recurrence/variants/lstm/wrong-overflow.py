# wrong: e^s / (1 + e^s)
# loses: lstm--values lstm--carried
# told: infinite for a large
def lstm_step(x_t, h, c, W, U, b):
    def sigma(s):
        return torch.exp(s) / (1 + torch.exp(s))

    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = sigma(f) * c + sigma(i) * torch.tanh(g)
    return sigma(o) * torch.tanh(c), c
