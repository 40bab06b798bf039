# wrong: shortens the lengths it was given
# loses: bug--inputs
# told: changes its input lengths
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    lengths -= T
    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where((t >= -lengths)[:, None], new, h)
    return h
