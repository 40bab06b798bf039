# wrong: the mask is not used
# loses: queries--padding queries--gradients
# told: get without a mask
def pool_by_queries(x, mask, W, b, v):
    a = (v @ torch.tanh(x @ W + b).mT).softmax(-1)
    return a @ x, a
