# wrong: weights (B, S, Q)
# loses: queries--by-hand queries--values queries--padding queries--shapes
# told: shape
def pool_by_queries(x, mask, W, b, v):
    r = torch.tanh(x @ W + b) @ v.T
    a = r.masked_fill(~mask[..., None], -math.inf).softmax(1)
    return a.mT @ x, a
