# right: a loop over the heads; exp and its sum written out
def heads_mask(real, windows, T):
    S = real.shape[1]
    back = torch.arange(S - T, S).unsqueeze(1) - torch.arange(S).unsqueeze(0)
    seen = [(back >= 0) & (back <= w - 1) for w in windows]
    return torch.stack([s & real[:, None] for s in seen], dim=1)


def masked_heads(Q, K, V, mask):
    outputs, weights = [], []
    for h in range(Q.shape[1]):
        own = mask if mask.dim() == 3 else mask[:, h]
        scores = Q[:, h] @ K[:, h].mT * Q.shape[-1] ** -0.5
        scores = torch.where(own, scores, torch.zeros_like(scores))
        largest = torch.where(own, scores, -1e30).amax(-1, keepdim=True).detach()
        exps = torch.exp(torch.where(own, scores - largest, -1e4)) * own
        total = exps.sum(-1, keepdim=True)
        weights.append(exps / torch.where(total > 0, total, torch.ones_like(total)))
        outputs.append(weights[-1] @ V[:, h])
    return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)
