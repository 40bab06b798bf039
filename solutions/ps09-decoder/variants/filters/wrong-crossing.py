# wrong: the token that crosses p is dropped
# loses: filters--by-hand filters--top-p filters--minus-infinity
# told: crosses p is left out
def keep_top_k(logits, k):
    k = min(k, logits.shape[-1])
    lowest = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < lowest, -math.inf)


def keep_top_p(logits, p):
    if p == 1:
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    cut = P.cumsum(dim=-1) > p
    cut[:, 0] = False
    cut = torch.zeros_like(cut).scatter(-1, order, cut)
    return logits.masked_fill(cut, -math.inf)
