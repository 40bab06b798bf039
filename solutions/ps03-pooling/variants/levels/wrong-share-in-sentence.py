# wrong: the words' weights as shares
# loses: levels--by-hand levels--shares levels--empty levels--gradients
# told: in their own sentences
def pool_levels(x, words, v, u):
    real = words.any(-1)
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).masked_fill(~real, -1e30).softmax(-1) * real
    return (beta[..., None] * s).sum(1), a
