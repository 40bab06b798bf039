# wrong: PyTorch's own cell
# loses: lstm--by-hand lstm--values lstm--state lstm--carried lstm--gradients lstm--inputs
# told: writes by hand
def lstm_step(x_t, h, c, W, U, b):
    return torch.lstm_cell(x_t, (h, c), W.T, U.T, b, torch.zeros_like(b))
