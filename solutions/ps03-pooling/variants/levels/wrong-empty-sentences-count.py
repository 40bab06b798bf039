# wrong: sentences without words take part with the score 0
# loses: levels--values levels--shares levels--empty levels--gradients levels--by-hand
# told: exp\(0\) = 1 is no small weight
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).softmax(-1)
    return (beta[..., None] * s).sum(1), beta[..., None] * a
