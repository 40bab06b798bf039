# wrong: keeps to the lengths, from the wrong side
# loses: bug--place bug--padding bug--empty
# told: what `last_states` gave|taken to stand behind
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where((t < lengths)[:, None], new, h)
    return h
