# wrong: each query meets all sentences
# loses: scores--by-hand scores--general scores--gradients scores--precision
# told: all sentences|shape
def additive_scores(s, H, W_a, U_a, v_a):
    asked = (s @ W_a)[:, None, :]
    memory = H @ U_a
    return torch.tanh(asked + memory) @ v_a


def general_scores(s, H, W):
    query = s @ W
    return query @ H.transpose(1, 2)
