# wrong: one softmax over all words of the document
# loses: levels--by-hand levels--values levels--shares levels--empty levels--gradients
# told: one flat level
def pool_levels(x, words, v, u):
    r = (x @ v).masked_fill(~words, -1e30)
    share = r.flatten(1).softmax(-1).view_as(r) * words
    return (share[..., None] * x).sum((1, 2)), share
