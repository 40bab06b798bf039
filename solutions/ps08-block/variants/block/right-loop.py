# right: a loop over the heads, the two parts in a list
def block(x, w, heads, norm, mask=None):
    K = w["W_Q"].shape[1] // heads

    def ln(h, gain, bias):
        centred = h - h.mean(-1, keepdim=True)
        return gain * centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() + bias

    def attend(h):
        total = 0
        for n in range(heads):
            own = slice(n * K, (n + 1) * K)
            q, k, v = h @ w["W_Q"][:, own], h @ w["W_K"][:, own], h @ w["W_V"][:, own]
            scores = torch.einsum("btk,bsk->bts", q, k) * K**-0.5
            if mask is not None:
                scores = torch.where(mask, scores, -torch.inf)
            total = total + scores.softmax(-1) @ v @ w["W_O"][own]
        return total

    def ffn(h):
        return torch.clamp(h @ w["W_1"] + w["b_1"], min=0) @ w["W_2"] + w["b_2"]

    for n, part in enumerate([attend, ffn], start=1):
        own = w[f"gain_{n}"], w[f"bias_{n}"]
        x = x + part(ln(x, *own)) if norm == "pre" else ln(x + part(x), *own)
    return x
