# wrong: p = 1 leaves it to rounding, and k may be too large
# loses: filters--edges
# told: wrong in|error|out of range
def keep_top_k(logits, k):
    lowest = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < lowest, -math.inf)


def keep_top_p(logits, p):
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    before = P.cumsum(dim=-1) - P
    cut = before >= p
    cut = torch.zeros_like(cut).scatter(-1, order, cut)
    return logits.masked_fill(cut, -math.inf)
