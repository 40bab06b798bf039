# wrong: clears the tokens of the padding and reads on
# loses: bug--padding bug--empty
# told: You read the padding too|the last states
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    real = torch.arange(T) >= (T - lengths)[:, None]
    x = x * real[:, :, None]
    for t in range(T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return h
