# right: the state is cleared where the sequence begins
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    start = T - lengths
    for t in range(T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        h = h * (t >= start)[:, None]
    return h
