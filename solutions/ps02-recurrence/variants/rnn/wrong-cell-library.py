# wrong: PyTorch's own cell
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--inputs rnn--precision
# told: `RNNCell`.*writes by hand|recurrent cells
def rnn_states(x, h, W, U, b):
    cell = torch.nn.RNNCell(W.shape[0], W.shape[1], dtype=x.dtype)
    cell.weight_ih.data, cell.weight_hh.data = W.T, U.T
    cell.bias_ih.data, cell.bias_hh.data = b, torch.zeros_like(b)
    states = []
    for t in range(x.shape[1]):
        h = cell(x[:, t], h)
        states.append(h)
    return torch.stack(states, dim=1)
