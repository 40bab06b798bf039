# wrong: the tanh goes round the token alone
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: tanh goes round the whole sum
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + b) + h @ U
        states.append(h)
    return torch.stack(states, dim=1)
