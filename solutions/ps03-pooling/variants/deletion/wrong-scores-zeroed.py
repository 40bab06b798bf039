# wrong: the scores of deleted words become 0
# loses: deletion--by-hand deletion--values deletion--class deletion--short
# told: scores to 0
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(r):
        a = r.masked_fill(~mask, -math.inf).softmax(-1)
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    after = p(r.scatter(1, rank[:, :k], 0.0))
    return after.gather(1, p(r).argmax(-1, keepdim=True))[:, 0]
