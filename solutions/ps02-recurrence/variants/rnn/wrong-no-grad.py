# wrong: under no_grad
# loses: rnn--gradients
# told: no gradient
def rnn_states(x, h, W, U, b):
    states = []
    torch.set_grad_enabled(False)
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h)
    torch.set_grad_enabled(True)
    return torch.stack(states, dim=1)
