# wrong: looks at the confidence before the deletion
# loses: deletion--by-hand deletion--values deletion--class deletion--short
# told: before anything is deleted
def confidence_left(x, mask, v, W, b, k):
    a = (x @ v).masked_fill(~mask, -math.inf).softmax(-1)
    return ((a[..., None] * x).sum(1) @ W + b).softmax(-1).amax(-1)
