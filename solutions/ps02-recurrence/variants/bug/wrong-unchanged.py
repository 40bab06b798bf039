# wrong: the published code as it was
# loses: bug--place bug--padding bug--empty
# told: what `last_states` gave
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))
    return last_states(x, lengths, W, U, b)
