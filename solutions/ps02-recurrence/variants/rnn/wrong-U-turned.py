# wrong: U as for columns
# loses: rnn--values rnn--start rnn--gradients rnn--precision rnn--by-hand rnn--inputs
# told: U is turned round
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + h @ U.T + b)
        states.append(h)
    return torch.stack(states, dim=1)
