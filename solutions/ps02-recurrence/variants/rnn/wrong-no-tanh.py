# wrong: the sum without its tanh
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: tanh is missing
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = x[:, t] @ W + h @ U + b
        states.append(h)
    return torch.stack(states, dim=1)
