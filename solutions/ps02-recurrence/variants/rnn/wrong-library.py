# wrong: PyTorch's own net
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--inputs rnn--precision
# told: `rnn_tanh`.*writes by hand
def rnn_states(x, h, W, U, b):
    flat = [W.T, U.T, b, torch.zeros_like(b)]
    return torch.rnn_tanh(x, h[None], flat, True, 1, 0.0, False, False, True)[0]
