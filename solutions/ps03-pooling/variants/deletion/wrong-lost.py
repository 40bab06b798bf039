# wrong: how much was lost
# loses: deletion--by-hand deletion--values deletion--class deletion--short deletion--nothing
# told: how much confidence was lost
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    before = p(mask)
    c = before.argmax(-1, keepdim=True)
    return (before - p(kept)).gather(1, c)[:, 0]
