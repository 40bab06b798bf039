# wrong: a linear map alone
# loses: queries--by-hand queries--values queries--padding queries--gradients queries--shapes
# told: lack the tanh
def pool_by_queries(x, mask, W, b, v):
    r = v @ (x @ W + b).mT
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ x, a
