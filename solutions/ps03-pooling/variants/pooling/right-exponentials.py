# right: exponentials times the mask, and a safe division
def attention_pool(x, mask, v):
    r = torch.einsum("bsd,d->bs", x, v)
    low = torch.finfo(r.dtype).min
    most = r.masked_fill(~mask, low).amax(1, keepdim=True).detach()
    e = torch.exp((r - most).masked_fill(~mask, 0.0)) * mask
    total = e.sum(1, keepdim=True)
    a = e / torch.where(total > 0, total, 1.0)
    return torch.einsum("bs,bsd->bd", a, x), a
