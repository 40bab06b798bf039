# wrong: the softmax runs over the documents
# loses: queries--by-hand queries--values queries--padding queries--gradients queries--shapes
# told: over the documents of the batch
def pool_by_queries(x, mask, W, b, v):
    r = v @ torch.tanh(x @ W + b).mT
    a = r.masked_fill(~mask[:, None], -1e30).softmax(0) * mask[:, None]
    return a @ x, a
