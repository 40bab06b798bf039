# wrong: topk of more words than there are places
# loses: deletion--short
# told: stops with
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -1e30)

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    kept = mask.scatter(1, r.topk(k).indices, False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]
