# right: one query after the other
def pool_by_queries(x, mask, W, b, v):
    met = (torch.einsum("bsd,dh->bsh", x, W) + b).tanh()
    vectors, weights = [], []
    for query in v:
        r = (met * query).sum(-1)
        a = r.masked_fill(~mask, torch.finfo(r.dtype).min).softmax(-1)
        weights.append(a)
        vectors.append((a[..., None] * x).sum(1))
    return torch.stack(vectors, 1), torch.stack(weights, 1)
