# wrong: gives the state it starts from too
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: T \+ 1 states come back
def rnn_states(x, h, W, U, b):
    first, states = h, []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h)
    return torch.stack([first] + states, dim=1)
