# wrong: the mean of the sentences, empty ones counted
# loses: levels--by-hand levels--values levels--shares levels--empty levels--gradients
# told: those without words are counted
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    return s.mean(1), a / words.shape[1]
