# wrong: reads from the right and puts in order
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: put the states in order again
def rnn_states(x, h, W, U, b):
    states = []
    for t in reversed(range(x.shape[1])):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h)
    return torch.stack(states[::-1], dim=1)
