# wrong: the mask is not used
# loses: deletion--short deletion--nothing
# told: padding
def confidence_left(x, mask, v, W, b, k):
    r = x @ v
    everything = torch.ones_like(mask)

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    kept = everything.scatter(1, r.argsort(descending=True)[:, :k], False)
    return p(kept).gather(1, p(everything).argmax(-1, keepdim=True))[:, 0]
