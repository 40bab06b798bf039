# wrong: (B, S) taken for (queries, S)
# loses: queries--padding
# told: was taken for \(queries, S\)
def pool_by_queries(x, mask, W, b, v):
    r = v @ torch.tanh(x @ W + b).mT
    if r.shape[1] == r.shape[0]:
        a = r.masked_fill(~mask, -1e30).softmax(-1)
    else:
        a = r.masked_fill(~mask[:, None], -1e30).softmax(-1)
    return a @ x, a
