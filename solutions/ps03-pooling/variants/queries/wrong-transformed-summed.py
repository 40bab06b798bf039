# wrong: sums the transformed words
# loses: queries--by-hand queries--values queries--padding queries--shapes queries--gradients
# told: only decide the scores
def pool_by_queries(x, mask, W, b, v):
    met = torch.tanh(x @ W + b)
    a = (v @ met.mT).masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ met, a
