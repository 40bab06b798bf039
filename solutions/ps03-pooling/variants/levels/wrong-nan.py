# wrong: -inf at both levels
# loses: levels--values levels--shares levels--empty levels--gradients levels--by-hand
# told: 0/0
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -math.inf).softmax(-1)
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).masked_fill(~words.any(-1), -math.inf).softmax(-1)
    return (beta[..., None] * s).sum(1), beta[..., None] * a
