# wrong: the vectors of deleted words become zeros
# loses: deletion--by-hand deletion--values deletion--class deletion--short
# told: set the deleted words' vectors to zero
def confidence_left(x, mask, v, W, b, k):
    def p(x):
        a = (x @ v).masked_fill(~mask, -math.inf).softmax(-1)
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = (x @ v).masked_fill(~mask, -math.inf).argsort(descending=True)
    gone = torch.zeros_like(mask).scatter(1, rank[:, :k], True)
    after = p(x.masked_fill(gone[..., None], 0.0))
    return after.gather(1, p(x).argmax(-1, keepdim=True))[:, 0]
