# right: matrices with a head axis, and einsum
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    W_Q, W_K, W_V = (W.unflatten(1, (heads, -1)) for W in (W_Q, W_K, W_V))
    W_O = W_O.unflatten(0, (heads, -1))
    q = torch.einsum("btd,dhk->bhtk", X, W_Q) * W_Q.shape[-1] ** -0.5
    k = torch.einsum("bsd,dhk->bhsk", X, W_K)
    v = torch.einsum("bsd,dhv->bhsv", X, W_V)
    a = torch.einsum("bhtk,bhsk->bhts", q, k).softmax(-1)
    return torch.einsum("bhts,bhsv,hvd->btd", a, v, W_O), a
