# wrong: of tied tokens only some are kept
# loses: filters--top-k
# told: some are kept and some are not
def keep_top_k(logits, k):
    k = min(k, logits.shape[-1])
    best = logits.topk(k, dim=-1)
    cut = torch.full_like(logits, -math.inf)
    return cut.scatter(-1, best.indices, best.values)


def keep_top_p(logits, p):
    if p == 1:
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    before = P.cumsum(dim=-1) - P
    cut = before >= p
    cut = torch.zeros_like(cut).scatter(-1, order, cut)
    return logits.masked_fill(cut, -math.inf)
