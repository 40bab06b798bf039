@right("einsum", "einsum, and a mask by tril")
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


@right("loop", "one head and one token at a time")
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


@wrong(
    "in-front",
    "new keys stand in front",
    says="The new keys and values come before the old ones. They belong after them.",
    spares=["whole"],
)
def read(tokens, w, heads, K_past, V_past):
    start, T = K_past.shape[2], tokens.shape[1]
    S = start + T
    x = w["E"][tokens] + w["P"][start:S]

    def split(columns):
        return columns.unflatten(-1, (heads, -1)).transpose(1, 2)

    Q = split(x @ w["W_Q"])
    K = torch.cat([split(x @ w["W_K"]), K_past], dim=2)
    V = torch.cat([split(x @ w["W_V"]), V_past], dim=2)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    own = torch.arange(start, S)[:, None]
    scores = scores.masked_fill(torch.arange(S) > own, -math.inf)
    found = (scores.softmax(dim=-1) @ V).transpose(1, 2).flatten(2)
    y = x + found @ w["W_O"]
    return y @ w["E"].T, K, V


wrong(
    "mask-from-zero",
    "the mask begins at the first key",
    says=(
        "Your mask begins at the first key, as if nothing had been read: new token i sees "
        "the R old keys and new ones up to its own."
    ),
    loses=["by-hand", "one-by-one", "pieces"],
    edit=("start, S", "T"),
)


@wrong(
    "no-mask",
    "a piece sees its own later tokens",
    says=(
        "Your tokens may look at all keys. A token sees itself and those before it, but "
        "not the later ones of its own piece."
    ),
    loses=["whole", "pieces", "causal"],
)
def read(tokens, w, heads, K_past, V_past):
    start, T = K_past.shape[2], tokens.shape[1]
    S = start + T
    x = w["E"][tokens] + w["P"][start:S]

    def split(columns):
        return columns.unflatten(-1, (heads, -1)).transpose(1, 2)

    Q = split(x @ w["W_Q"])
    K = torch.cat([K_past, split(x @ w["W_K"])], dim=2)
    V = torch.cat([V_past, split(x @ w["W_V"])], dim=2)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    found = (scores.softmax(dim=-1) @ V).transpose(1, 2).flatten(2)
    y = x + found @ w["W_O"]
    return y @ w["E"].T, K, V


wrong(
    "place-zero",
    "positions begin with 0 again",
    says=(
        "Your positions begin with 0 again: the first new token comes after all that were "
        "read, at position R."
    ),
    spares=["whole", "causal"],
    edit=('["P"][start:S]', '["P"][:T]'),
)

broken('w["P"][start:S]', 'w["P"][start + 1 : S + 1]')
broken("torch.arange(S) > own", "torch.arange(S) > own + 1")
broken('y = x + found @ w["W_O"]', 'y = found @ w["W_O"]')
broken('split(x @ w["W_V"])', 'split(x @ w["W_K"])')
