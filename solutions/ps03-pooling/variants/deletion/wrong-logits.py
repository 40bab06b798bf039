# wrong: the logit in place of the probability
# loses: deletion--by-hand deletion--values deletion--class deletion--short deletion--nothing
# told: before the softmax over the classes
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return (a[..., None] * x).sum(1) @ W + b

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]
