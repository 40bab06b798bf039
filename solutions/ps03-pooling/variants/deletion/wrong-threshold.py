# wrong: keeps what lies below the k-th weight, which is not there for k = 0
# loses: deletion--nothing
# told: stops with
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -1e30)

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    limit = r.sort(descending=True).values[:, min(k, r.shape[1]) - 1, None]
    kept = mask & (r < limit)
    if k == 0:
        kept = mask & (r < r.topk(0).values[:, -1:])
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]
