# right: each gate from its own columns
def lstm_step(x_t, h, c, W, U, b):
    n = h.shape[-1]

    def sums(k):
        block = slice(k * n, (k + 1) * n)
        return x_t @ W[:, block] + h @ U[:, block] + b[block]

    i, f, o = (torch.sigmoid(sums(k)) for k in (0, 1, 3))
    g = torch.tanh(sums(2))
    new = f * c + i * g
    return o * torch.tanh(new), new
