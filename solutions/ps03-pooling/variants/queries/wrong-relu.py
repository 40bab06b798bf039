# wrong: another nonlinearity
# loses: queries--by-hand queries--values queries--padding queries--gradients queries--shapes
# told: relu for tanh
def pool_by_queries(x, mask, W, b, v):
    r = v @ (x @ W + b).relu().mT
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ x, a
