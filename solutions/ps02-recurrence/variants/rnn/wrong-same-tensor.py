# wrong: one tensor, changed in place and put into the list each time
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--inputs rnn--precision
# told: All your states are the last
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h[:] = torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h)
    return torch.stack(states, dim=1)
