# wrong: changes the state it was given
# loses: rnn--gradients rnn--inputs
# told: changes its input h
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h[:] = torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h.clone())
    return torch.stack(states, dim=1)
