# right: einsum, and a mask by tril
def read(tokens, w, heads, K_past, V_past):
    B, T = tokens.shape
    P = K_past.size(2)
    x = torch.stack([w["E"][tokens[:, t]] + w["P"][P + t] for t in range(T)], dim=1)

    def by_head(name):
        D, HK = w[name].shape
        return torch.einsum("btd,dhk->bhtk", x, w[name].view(D, heads, HK // heads))

    q, k, v = by_head("W_Q"), by_head("W_K"), by_head("W_V")
    K, V = torch.cat((K_past, k), 2), torch.cat((V_past, v), 2)
    mask = torch.ones(T, P + T).tril(P).bool()
    scores = torch.einsum("bhtk,bhsk->bhts", q, K) * q.shape[-1] ** -0.5
    weights = torch.where(mask, scores, torch.full_like(scores, -math.inf)).softmax(3)
    found = torch.einsum("bhts,bhsk->bthk", weights, V).reshape(B, T, -1)
    return torch.einsum("btd,vd->btv", x + found @ w["W_O"], w["E"]), K, V
