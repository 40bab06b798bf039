# wrong: normalises a pre-norm block's output again
# loses: block--nothing block--ffn block--attention block--pre block--mask block--gradients
# told: normalises the output once more
def block(x, w, heads, norm, mask=None):
    def ln(h, n):
        spread = h.var(dim=-1, correction=0, keepdim=True) + 1e-5
        return (h - h.mean(dim=-1, keepdim=True)) / spread.sqrt() * w[f"gain_{n}"] + w[f"bias_{n}"]

    def attend(h):
        Q, K, V = (
            (h @ w[name]).unflatten(-1, (heads, -1)).transpose(1, 2)
            for name in ("W_Q", "W_K", "W_V")
        )
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        return (scores.softmax(-1) @ V).transpose(1, 2).flatten(2) @ w["W_O"]

    def ffn(h):
        return (h @ w["W_1"] + w["b_1"]).relu() @ w["W_2"] + w["b_2"]

    if norm == "pre":
        h = x + attend(ln(x, 1))
        return ln(h + ffn(ln(h, 2)), 2)
    h = ln(x + attend(x), 1)
    return ln(h + ffn(h), 2)
