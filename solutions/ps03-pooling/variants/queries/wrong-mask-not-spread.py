# wrong: masks (B, Q, S) by (B, S) and hopes
# loses: queries--values queries--padding queries--shapes queries--gradients queries--by-hand
# told: stops with|was taken for
def pool_by_queries(x, mask, W, b, v):
    r = v @ torch.tanh(x @ W + b).mT
    a = r.masked_fill(~mask, -math.inf).softmax(-1)
    return a @ x, a
