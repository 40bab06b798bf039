# wrong: view in place of a transpose
# loses: queries--values queries--padding queries--gradients queries--by-hand queries--shapes
# told: the weights|the vectors|sum to 1
def pool_by_queries(x, mask, W, b, v):
    r = torch.tanh(x @ W + b) @ v.T
    r = r.reshape(len(x), len(v), x.shape[1])
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ x, a
