# wrong: adds the sentences without weights
# loses: levels--by-hand levels--values levels--shares levels--empty levels--gradients
# told: added up without weights
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    return s.sum(1), a
