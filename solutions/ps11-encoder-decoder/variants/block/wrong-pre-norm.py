# wrong: normalises what goes into each part
# loses: block--idle block--self block--cross block--values block--padding block--gradients
# told: pre-norm block
def decoder_block(y, m, w, heads, source_real):
    def ln(h, n):
        spread = h.var(dim=-1, correction=0, keepdim=True) + 1e-5
        return (h - h.mean(dim=-1, keepdim=True)) / spread.sqrt() * w[f"gain_{n}"] + w[f"bias_{n}"]

    def attend(name, x, other, mask):
        Q, K, V = (
            (each @ w[f"{name}_{k}"]).unflatten(-1, (heads, -1)).transpose(1, 2)
            for each, k in ((x, "Q"), (other, "K"), (other, "V"))
        )
        scores = Q @ K.mT / math.sqrt(Q.shape[-1])
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return (weights @ V).transpose(1, 2).flatten(2) @ w[f"{name}_O"], weights

    def ffn(h):
        return (h @ w["W_1"] + w["b_1"]).relu() @ w["W_2"] + w["b_2"]

    causal = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).tril()
    words = source_real[:, None, None]
    h = y + attend("self", ln(y, 1), ln(y, 1), causal)[0]
    found, weights = attend("cross", ln(h, 2), m, words)
    h = h + found
    return h + ffn(ln(h, 3)), weights
