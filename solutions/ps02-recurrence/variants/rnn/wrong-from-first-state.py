# wrong: does not hand the state on
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: starts every step from the first state
def rnn_states(x, h, W, U, b):
    states = [torch.tanh(x[:, t] @ W + h @ U + b) for t in range(x.shape[1])]
    return torch.stack(states, dim=1)
