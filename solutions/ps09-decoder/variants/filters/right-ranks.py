# right: argsort twice, and where
def keep_top_k(logits, k):
    k = min(k, logits.shape[1])
    lowest = logits.sort(dim=1, descending=True).values[:, k - 1].unsqueeze(1)
    return torch.where(logits >= lowest, logits, torch.tensor(-math.inf, dtype=logits.dtype))


def keep_top_p(logits, p):
    order = (-logits).argsort(dim=1, stable=True)
    rank = order.argsort(dim=1)
    P = logits.softmax(1).gather(1, order)
    total = P.cumsum(1)
    m = (total < p).sum(1, keepdim=True) + 1
    if p == 1.0:
        m = torch.full_like(m, logits.shape[1])
    return torch.where(rank < m, logits, torch.full_like(logits, -math.inf))
