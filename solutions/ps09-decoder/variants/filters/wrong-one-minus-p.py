# wrong: a nucleus of 1 - p
# loses: filters--by-hand filters--top-p filters--edges filters--minus-infinity filters--inputs
# told: nucleus of 1 - p
def keep_top_k(logits, k):
    k = min(k, logits.shape[-1])
    lowest = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < lowest, -math.inf)


def keep_top_p(logits, p):
    if p == 1:
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    before = P.cumsum(dim=-1) - P
    cut = before > 1 - p
    cut = torch.zeros_like(cut).scatter(-1, order, cut)
    return logits.masked_fill(cut, -math.inf)
