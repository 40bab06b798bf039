# wrong: everything in 32 bits
# loses: scores--precision
# told: float32
def additive_scores(s, H, W_a, U_a, v_a):
    asked = (s @ W_a)[:, None, :]
    memory = H @ U_a
    return torch.tanh(asked.float() + memory.float()) @ v_a.float()


def general_scores(s, H, W):
    query = s @ W
    return (H @ query[:, :, None])[:, :, 0]
