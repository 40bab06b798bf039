# wrong: the two parts multiplied
# loses: scores--by-hand scores--additive scores--gradients scores--precision
# told: multiplies the two parts
def additive_scores(s, H, W_a, U_a, v_a):
    asked = (s @ W_a)[:, None, :]
    memory = H @ U_a
    return torch.tanh(asked * memory) @ v_a


def general_scores(s, H, W):
    query = s @ W
    return (H @ query[:, :, None])[:, :, 0]
