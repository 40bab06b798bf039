# right: einsum with the heads as an axis of the weights
def block(x, w, heads, norm, mask=None):
    W_Q, W_K, W_V = (w[n].reshape(len(w[n]), heads, -1) for n in ("W_Q", "W_K", "W_V"))
    W_O = w["W_O"].reshape(heads, -1, x.shape[-1])

    def ln(h, n):
        mean, variance = h.mean(-1, keepdim=True), h.var(-1, correction=0, keepdim=True)
        return (h - mean) * (variance + 1e-5).rsqrt() * w["gain_" + n] + w["bias_" + n]

    def attend(h):
        q, k = torch.einsum("btd,dhk->bhtk", h, W_Q), torch.einsum("bsd,dhk->bhsk", h, W_K)
        scores = torch.einsum("bhtk,bhsk->bhts", q, k) / q.shape[-1] ** 0.5
        scores = scores if mask is None else scores + torch.zeros(mask.shape, dtype=x.dtype).masked_fill(~mask, -torch.inf)
        return torch.einsum("bhts,bsd,dhk,hke->bte", scores.softmax(-1), h, W_V, W_O)

    def ffn(h):
        return torch.relu(torch.addmm(w["b_1"], h.flatten(0, 1), w["W_1"])).mm(w["W_2"]).view_as(h) + w["b_2"]

    if norm == "post":
        h = ln(attend(x) + x, "1")
        return ln(ffn(h) + h, "2")
    h = attend(ln(x, "1")) + x
    return ffn(ln(h, "2")) + h
