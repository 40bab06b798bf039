# wrong: NaN where no word is left
# loses: deletion--short
# told: a softmax of nothing but -∞
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -math.inf).softmax(-1)
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]
