# wrong: writes into the logits
# loses: filters--inputs
# told: changes its input
def keep_top_k(logits, k):
    k = min(k, logits.shape[-1])
    lowest = logits.topk(k, dim=-1).values[:, -1:]
    logits[logits < lowest] = -math.inf
    return logits


def keep_top_p(logits, p):
    if p == 1:
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    before = P.cumsum(dim=-1) - P
    cut = before >= p
    cut = torch.zeros_like(cut).scatter(-1, order, cut)
    return logits.masked_fill(cut, -math.inf)
