# wrong: forgets to return
# loses: rnn--by-hand rnn--values rnn--start rnn--gradients rnn--precision rnn--inputs
# told: Is there a `return`
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        states.append(h)
    torch.stack(states, dim=1)
