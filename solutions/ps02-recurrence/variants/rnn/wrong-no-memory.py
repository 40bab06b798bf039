# wrong: leaves out h U
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: without h U each token
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + b)
        states.append(h)
    return torch.stack(states, dim=1)
