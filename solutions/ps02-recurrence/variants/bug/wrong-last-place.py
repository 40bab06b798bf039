# wrong: mends the place alone, as the course did
# loses: bug--padding bug--empty
# told: You read the padding too
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return h
