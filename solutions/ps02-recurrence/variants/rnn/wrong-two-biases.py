# wrong: adds the bias twice, as PyTorch has two
# loses: rnn--values rnn--start rnn--gradients rnn--precision rnn--by-hand rnn--inputs
# told: bias counts twice
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + b + h @ U + b)
        states.append(h)
    return torch.stack(states, dim=1)
