# wrong: only sentences are masked
# loses: levels--by-hand levels--values levels--shares levels--empty levels--gradients
# told: padding takes part among the words
def pool_levels(x, words, v, u):
    real = words.any(-1)
    a = (x @ v).softmax(-1)
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).masked_fill(~real, -1e30).softmax(-1) * real
    return (beta[..., None] * s).sum(1), beta[..., None] * a
