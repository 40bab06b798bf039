# wrong: hides the words of the source, and not its padding
# loses: block--idle block--self block--cross block--values block--causal block--padding block--gradients
# told: row of -∞ is NaN
def decoder_block(y, m, w, heads, source_real):
    B, T, D = y.shape

    def ln(h, n):
        mean, variance = h.mean(-1, keepdim=True), h.var(-1, correction=0, keepdim=True)
        return (h - mean) * (variance + 1e-5).rsqrt() * w["gain_" + n] + w["bias_" + n]

    def attend(name, h, other, hidden):
        W_Q, W_K, W_V = (w[f"{name}_{k}"].reshape(D, heads, -1) for k in "QKV")
        q, k = torch.einsum("btd,dhk->bhtk", h, W_Q), torch.einsum("bsd,dhk->bhsk", other, W_K)
        scores = torch.einsum("bhtk,bhsk->bhts", q, k) / q.shape[-1] ** 0.5 + hidden
        W_O = w[f"{name}_O"].reshape(heads, -1, D)
        found = torch.einsum("bhts,bsd,dhk,hke->bte", scores.softmax(-1), other, W_V, W_O)
        return found, scores.softmax(-1)

    later = y.new_full((T, T), -torch.inf).triu(1)
    padding = y.new_zeros(source_real.shape).masked_fill(source_real, -torch.inf)
    h = ln(attend("self", y, y, later)[0] + y, "1")
    found, weights = attend("cross", h, m, padding[:, None, None, :])
    h = ln(found + h, "2")
    return ln(torch.relu(h @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"] + h, "3"), weights
