# right: one head and one token at a time
def read(tokens, w, heads, K_past, V_past):
    start, width = K_past.shape[2], w["W_Q"].shape[1] // heads
    K, V, logits = K_past, V_past, []
    for t in range(tokens.shape[1]):
        x = w["E"][tokens[:, t]] + w["P"][start + t]
        parts, keys, values = [], [], []
        for h in range(heads):
            mine = slice(h * width, (h + 1) * width)
            q, k, v = (x @ w[f"W_{n}"][:, mine] for n in "QKV")
            keys.append(k)
            values.append(v)
            all_k = torch.cat([K[:, h], k[:, None]], dim=1)
            all_v = torch.cat([V[:, h], v[:, None]], dim=1)
            scores = (all_k @ q[:, :, None])[:, :, 0] / math.sqrt(width)
            parts.append((scores.softmax(-1)[:, :, None] * all_v).sum(1))
        K = torch.cat([K, torch.stack(keys, dim=1)[:, :, None]], dim=2)
        V = torch.cat([V, torch.stack(values, dim=1)[:, :, None]], dim=2)
        y = x + torch.cat(parts, dim=-1) @ w["W_O"]
        logits.append(y @ w["E"].T)
    return torch.stack(logits, dim=1), K, V
