# wrong: the bias after the tanh
# loses: queries--values queries--padding queries--gradients queries--by-hand queries--shapes
# told: the bias b has no effect
def pool_by_queries(x, mask, W, b, v):
    r = v @ (torch.tanh(x @ W) + b).mT
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ x, a
