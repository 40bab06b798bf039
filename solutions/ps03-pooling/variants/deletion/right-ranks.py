# right: each word's rank by comparison; weights from exponentials
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -math.inf)
    rank = (r[:, None, :] > r[:, :, None]).sum(-1)
    e = torch.exp(r - r.amax(1, keepdim=True))

    def logits(e):
        total = e.sum(1, keepdim=True)
        return torch.einsum("bs,bsd->bd", e / total.clamp(min=1e-30), x) @ W + b

    kept = (rank >= k) & mask
    low = r.masked_fill(~kept, torch.finfo(r.dtype).min)
    after = torch.exp(low - low.amax(1, keepdim=True)) * kept
    p = torch.nn.functional.softmax(logits(after), dim=1)
    return p[torch.arange(len(x)), logits(e).argmax(1)]
