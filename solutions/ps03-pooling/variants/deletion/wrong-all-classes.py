# wrong: all classes' probabilities
# loses: deletion--by-hand deletion--values deletion--class deletion--short deletion--nothing
# told: shape
def confidence_left(x, mask, v, W, b, k):
    r = x @ v
    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
    return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)
