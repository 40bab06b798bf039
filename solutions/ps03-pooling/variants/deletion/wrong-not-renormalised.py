# wrong: the weights of deleted words become 0, the others stay
# loses: deletion--by-hand deletion--values deletion--class deletion--short
# told: no longer sum to 1
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -math.inf)
    a = r.softmax(-1)
    c = ((a[..., None] * x).sum(1) @ W + b).argmax(-1)
    a = a.scatter(1, a.argsort(descending=True)[:, :k], 0.0) * mask
    p = ((a[..., None] * x).sum(1) @ W + b).softmax(-1)
    return p[torch.arange(len(x)), c]
