# wrong: stores the state before the step
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: one step early
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        states.append(h)
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return torch.stack(states, dim=1)
