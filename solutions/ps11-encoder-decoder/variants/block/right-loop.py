# right: a loop over sentences, places and heads; padding is cut off instead of hidden
def decoder_block(y, m, w, heads, source_real):
    K = w["self_Q"].shape[1] // heads
    B, T, D = y.shape

    def ln(h, n):
        h = h - h.mean()
        return h / torch.sqrt(h.square().mean() + 1e-5) * w[f"gain_{n}"] + w[f"bias_{n}"]

    outputs, maps = [], []
    for b in range(B):
        there = source_real[b].nonzero()[:, 0]
        source, rows = m[b, there], []
        for t in range(T):
            h, x = y[b, t], y[b, : t + 1]
            for n, (name, other) in enumerate((("self", x), ("cross", source)), start=1):
                parts, weights = [], []
                for a in range(heads):
                    cut = slice(a * K, (a + 1) * K)
                    q, k, u = h @ w[name + "_Q"][:, cut], other @ w[name + "_K"][:, cut], other @ w[name + "_V"][:, cut]
                    weights.append(torch.softmax(k @ q / K**0.5, dim=0))
                    parts.append(weights[-1] @ u)
                h = ln(h + torch.cat(parts) @ w[name + "_O"], n)
            h = ln(h + torch.relu(h @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"], 3)
            rows.append(h)
            seen = y.new_zeros(heads, m.shape[1])
            seen[:, there] = torch.stack(weights)
            maps.append(seen)
        outputs.append(torch.stack(rows))
    return torch.stack(outputs), torch.stack(maps).reshape(B, T, heads, -1).transpose(1, 2)
