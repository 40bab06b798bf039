# wrong: the queries' vectors are averaged
# loses: queries--by-hand queries--values queries--padding queries--shapes queries--gradients
# told: shape
def pool_by_queries(x, mask, W, b, v):
    r = v @ torch.tanh(x @ W + b).mT
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return (a @ x).mean(1), a
