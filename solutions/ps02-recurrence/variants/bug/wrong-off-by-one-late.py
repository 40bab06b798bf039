# wrong: begins one token late
# loses: bug--place bug--padding bug--same bug--empty bug--inputs
# told: last states
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where((t > T - lengths)[:, None], new, h)
    return h
