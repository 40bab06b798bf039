# wrong: NaN mended afterwards
# loses: levels--gradients
# told: going backwards 0 · NaN
def pool_levels(x, words, v, u):
    hide = torch.zeros_like(x[..., 0]).masked_fill(~words, -math.inf)
    a = (x @ v + hide).softmax(-1).nan_to_num()
    s = (a[..., None] * x).sum(2)
    beta = (s @ u + hide.amax(-1)).softmax(-1).nan_to_num()
    return (beta[..., None] * s).sum(1), beta[..., None] * a
