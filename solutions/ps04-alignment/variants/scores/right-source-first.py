# right: the source goes through W instead of the query
def additive_scores(s, H, W_a, U_a, v_a):
    hidden = (H @ U_a).transpose(0, 1) + s @ W_a
    return (hidden.tanh() * v_a).sum(dim=-1).T


def general_scores(s, H, W):
    return ((H @ W.T) * s.unsqueeze(1)).sum(dim=2)
