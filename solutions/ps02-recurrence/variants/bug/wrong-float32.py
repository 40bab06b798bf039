# wrong: a state of 32 bits
# loses: bug--place bug--padding bug--same bug--empty bug--inputs
# told: dtype|float
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    x, W, U, b = x.float(), W.float(), U.float(), b.float()
    h = torch.zeros(B, len(U))
    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where((t >= T - lengths)[:, None], new, h)
    return h
