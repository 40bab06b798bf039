# wrong: fills a float32 tensor
# loses: rnn--start rnn--gradients rnn--precision
# told: float32, while its inputs are float64
def rnn_states(x, h, W, U, b):
    states = torch.zeros(x.shape[0], x.shape[1], U.shape[0])
    for t in range(x.shape[1]):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        states[:, t] = h
    return states
