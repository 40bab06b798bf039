# wrong: reads the last tokens of all, as many as the shortest has
# loses: bug--place bug--padding bug--empty
# told: last states
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T - int(lengths.min()), T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return h
