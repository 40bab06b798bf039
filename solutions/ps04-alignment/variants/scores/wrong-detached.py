# wrong: the query is cut off from the gradient
# loses: scores--gradients
# told: reaches s
def additive_scores(s, H, W_a, U_a, v_a):
    asked = (s.detach() @ W_a)[:, None, :]
    memory = H @ U_a
    return torch.tanh(asked + memory) @ v_a


def general_scores(s, H, W):
    query = s @ W
    return (H @ query[:, :, None])[:, :, 0]
