# wrong: starts from zeros
# loses: rnn--start rnn--gradients rnn--precision
# told: start from zeros
def rnn_states(x, h, W, U, b):
    h = torch.zeros_like(h)
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h)
    return torch.stack(states, dim=1)
