# wrong: the mean of the sentences
# loses: levels--by-hand levels--values levels--shares levels--empty levels--gradients
# told: u is not used
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    real = words.any(-1)
    beta = (real / real.sum(1, keepdim=True).clamp(min=1)).to(x.dtype)
    return (beta[..., None] * s).sum(1), beta[..., None] * a
