# wrong: begins one row early
# loses: bug--padding bug--empty
# told: You read the padding too
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where((t >= T - lengths - 1)[:, None], new, h)
    return h
