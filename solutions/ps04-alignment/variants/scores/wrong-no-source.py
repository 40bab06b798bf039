# wrong: the source left out
# loses: scores--by-hand scores--additive scores--gradients scores--precision
# told: states of the source are missing
def additive_scores(s, H, W_a, U_a, v_a):
    asked = (s @ W_a)[:, None, :]
    memory = H @ U_a
    return (torch.tanh(asked) @ v_a).expand(H.shape[:2])


def general_scores(s, H, W):
    query = s @ W
    return (H @ query[:, :, None])[:, :, 0]
