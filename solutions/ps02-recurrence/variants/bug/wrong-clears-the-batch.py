# wrong: clears the padding in the caller's batch
# loses: bug--inputs
# told: changes its input x
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    real = torch.arange(T) >= (T - lengths)[:, None]
    x *= real[:, :, None]
    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where(real[:, t, None], new, h)
    return h
