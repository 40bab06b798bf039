# wrong: leaves out x W
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: The token is missing
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(h @ U + b)
        states.append(h)
    return torch.stack(states, dim=1)
