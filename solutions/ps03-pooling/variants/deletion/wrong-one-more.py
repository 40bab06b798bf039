# wrong: deletes one word too many
# loses: deletion--values deletion--short deletion--nothing
# told: one word more than k
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, : k + 1], False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]
