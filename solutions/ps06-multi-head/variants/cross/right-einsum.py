# right: einsum throughout
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    q = torch.einsum("btd,hdk->bhtk", X, W_Q)
    k = torch.einsum("bse,hek->bhsk", C, W_K)
    a = torch.einsum("bhtk,bhsk->bhts", q, k).div(W_Q.shape[2] ** 0.5)
    v = torch.einsum("bse,hev,hvd->bhsd", C, W_V, W_O)
    parts = a.softmax(-1) @ v
    return parts.sum(1), parts
