# wrong: -100 for a sentence without words
# loses: levels--empty
# told: sentences without words take part
def pool_levels(x, words, v, u):
    real = words.any(-1)
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).masked_fill(~real, -100.0).softmax(-1) * real
    return (beta[..., None] * s).sum(1), beta[..., None] * a
