# wrong: the matrix left out
# loses: scores--by-hand scores--general scores--gradients scores--precision
# told: score called dot
def additive_scores(s, H, W_a, U_a, v_a):
    asked = (s @ W_a)[:, None, :]
    memory = H @ U_a
    return torch.tanh(asked + memory) @ v_a


def general_scores(s, H, W):
    query = s
    return (H @ query[:, :, None])[:, :, 0]
