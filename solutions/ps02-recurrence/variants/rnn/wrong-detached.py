# wrong: cuts each state off from the one before
# loses: rnn--gradients
# told: gradient with respect to
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + (h.detach() if t else h) @ U + b)
        states.append(h)
    return torch.stack(states, dim=1)
