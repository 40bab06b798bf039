# wrong: padding of a large score is deleted
# loses: deletion--short
# told: padding is among what you delete
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    kept = mask.scatter(1, r.argsort(descending=True)[:, :k], False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]
