# wrong: sentences and documents mixed up by a view
# loses: levels--values levels--shares levels--empty levels--gradients levels--by-hand
# told: the document|the vector|shares|stops with
def pool_levels(x, words, v, u):
    B, N, S, D = x.shape
    real = words.any(-1)
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2).view(N, B, D).transpose(0, 1)
    beta = (s @ u).masked_fill(~real, -1e30).softmax(-1) * real
    return (beta[..., None] * s).sum(1), beta[..., None] * a
