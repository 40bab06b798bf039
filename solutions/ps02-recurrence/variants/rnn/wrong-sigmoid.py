# wrong: a sigmoid
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: This is a sigmoid
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.sigmoid(x[:, t] @ W + h @ U + b)
        states.append(h)
    return torch.stack(states, dim=1)
