# wrong: adds to the old state
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: old state is kept
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = h + torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h)
    return torch.stack(states, dim=1)
