# wrong: deletes the words of the smallest weight
# loses: deletion--by-hand deletion--values deletion--class deletion--short
# told: the smallest weight
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, math.inf).argsort()
    kept = mask.scatter(1, rank[:, :k], False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]
