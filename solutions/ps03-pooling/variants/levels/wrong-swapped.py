# wrong: the queries swapped
# loses: levels--by-hand levels--values levels--shares levels--empty levels--gradients
# told: the queries are swapped
def pool_levels(x, words, v, u):
    real = words.any(-1)
    a = (x @ u).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    beta = (s @ v).masked_fill(~real, -1e30).softmax(-1) * real
    return (beta[..., None] * s).sum(1), beta[..., None] * a
