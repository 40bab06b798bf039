# wrong: one mean query
# loses: queries--by-hand queries--values queries--padding queries--gradients queries--shapes
# told: all queries the same weights
def pool_by_queries(x, mask, W, b, v):
    r = torch.tanh(x @ W + b) @ v.mean(0)
    r = r[:, None].expand(len(x), len(v), x.shape[1])
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ x, a
