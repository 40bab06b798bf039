# right: token and state side by side, sigmoid as a tanh
def lstm_step(x_t, h, c, W, U, b):
    both = torch.cat([x_t, h], dim=1) @ torch.cat([W, U]) + b
    i, f, g, o = both.unflatten(1, (4, -1)).unbind(1)
    i, f, o = ((torch.tanh(s / 2) + 1) / 2 for s in (i, f, o))
    c = torch.addcmul(f * c, i, g.tanh())
    return o * c.tanh(), c
