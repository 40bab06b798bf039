# wrong: v_a left out
# loses: scores--by-hand scores--additive scores--gradients scores--precision
# told: v_a is missing
def additive_scores(s, H, W_a, U_a, v_a):
    asked = (s @ W_a)[:, None, :]
    memory = H @ U_a
    return torch.tanh(asked + memory).sum(dim=-1)


def general_scores(s, H, W):
    query = s @ W
    return (H @ query[:, :, None])[:, :, 0]
