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


wrong(
    "cache-unchanged",
    says="You return the cache unchanged: append the new keys and values to it.",
    spares=["causal"],
    edit=('return y @ w["E"].T, K, V', 'return y @ w["E"].T, K_past, V_past'),
)

wrong(
    "cache-unused",
    says="Your new tokens do not attend to the old ones: you return the cache, but do not use it.",
    spares=["whole", "cache"],
    edit=[
        ("torch.arange(S) > own,", "(torch.arange(S) > own) | (torch.arange(S) < start),"),
    ],
)

wrong(
    "forgotten",
    says=(
        "Your code drops the cache. Use and return the keys and values of all tokens, old and new."
    ),
    spares=["whole"],
    edit=[
        ('torch.cat([K_past, split(x @ w["W_K"])], dim=2)', 'split(x @ w["W_K"])'),
        ('torch.cat([V_past, split(x @ w["W_V"])], dim=2)', 'split(x @ w["W_V"])'),
        ("own = torch.arange(start, S)[:, None]", "own = torch.arange(T)[:, None]"),
        ("torch.arange(S) > own", "torch.arange(T) > own"),
    ],
)


wrong(
    "in-front",
    "new keys stand in front",
    says="The new keys and values come before the old ones. They belong after them.",
    spares=["whole"],
    edit=(
        (
            'K = torch.cat([K_past, split(x @ w["W_K"])], dim=2)\n'
            '    V = torch.cat([V_past, split(x @ w["W_V"])], dim=2)'
        ),
        (
            'K = torch.cat([split(x @ w["W_K"]), K_past], dim=2)\n'
            '    V = torch.cat([split(x @ w["W_V"]), V_past], dim=2)'
        ),
    ),
)


wrong(
    "joined-by-reshape",
    says=(
        "Your tokens mix when you join the heads. Swap the axes of heads and tokens before you "
        "put the heads side by side, so that each token has its own row."
    ),
    loses=["whole", "pieces", "causal"],
    edit=(".transpose(1, 2).flatten(2)\n", ".reshape(len(tokens), T, -1)\n"),
)

wrong(
    "keys-from-values",
    says="You compute the keys with W_V. Use W_K.",
    spares=["by-hand", "causal"],
    edit=('split(x @ w["W_K"])', 'split(x @ w["W_V"])'),
)

wrong(
    "mask-from-zero",
    "the mask begins at the first key",
    says=(
        "Your mask starts at the first key, as if nothing had been read before. New token i sees "
        "all R old keys and the new ones up to its own."
    ),
    loses=["by-hand", "one-by-one", "pieces"],
    edit=("start, S", "T"),
)

wrong(
    "new-alone",
    says=(
        "You return only the new keys and values. Return the old ones, too, followed by the new "
        "ones."
    ),
    spares=["whole", "causal"],
    edit=('["E"].T, K, V', '["E"].T, K[:, :, start:], V[:, :, start:]'),
)


wrong(
    "no-mask",
    "a piece sees its own later tokens",
    says=(
        "Your new tokens attend to later ones. A token sees itself and those before it, but not "
        "later ones of the same piece."
    ),
    loses=["whole", "pieces", "causal"],
    edit=(
        (
            "own = torch.arange(start, S)[:, None]\n"
            "    scores = scores.masked_fill(torch.arange(S) > own, -math.inf)\n"
            "    found = (scores.softmax(dim=-1) @ V).transpose(1, 2).flatten(2)"
        ),
        "found = (scores.softmax(dim=-1) @ V).transpose(1, 2).flatten(2)",
    ),
)


wrong(
    "no-positions",
    says="The positions are missing: add P to the embeddings.",
    spares=["causal"],
    edit=(' + w["P"][start:S]', ""),
)

wrong(
    "no-residual",
    says="The residual connection around attention is missing.",
    spares=["cache", "causal"],
    edit=('y = x + found @ w["W_O"]', 'y = found @ w["W_O"]'),
)

wrong(
    "over-tokens",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does your "
        "softmax run over?"
    ),
    spares=["cache"],
    edit=("softmax(dim=-1)", "softmax(dim=-2)"),
)

wrong(
    "place-one-more",
    says=(
        "Your positions are one too large. The R old tokens are at positions 0 to R - 1, so the "
        "first new one is at position R."
    ),
    spares=["causal"],
    edit=('["P"][start:S]', '["P"][start + 1 : S + 1]'),
)

wrong(
    "place-zero",
    "positions begin with 0 again",
    says=(
        "Your positions start again at 0. The R old tokens are at positions 0 to R - 1, so the "
        "first new one is at position R."
    ),
    spares=["whole", "causal"],
    edit=('["P"][start:S]', '["P"][:T]'),
)

wrong(
    "probabilities",
    says="You return probabilities. Return the logits.",
    spares=["cache", "causal"],
    edit=('return y @ w["E"].T', 'return (y @ w["E"].T).softmax(dim=-1)'),
)

wrong(
    "scaled-by-d",
    says="The scores are divided by √D. Divide by √K, where K is the width of one head.",
    loses=["whole", "one-by-one", "pieces"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(x.shape[-1])"),
)

wrong(
    "split-by-reshape",
    says=(
        "Your heads mix tokens: you reshape (B, T, H·K) straight to (B, H, T, K). Split the last "
        "axis first, to (B, T, H, K), then swap the axes."
    ),
    spares=["by-hand", "one-by-one"],
    edit=(
        "columns.unflatten(-1, (heads, -1)).transpose(1, 2)",
        "columns.reshape(len(tokens), heads, T, -1)",
    ),
)

wrong(
    "swapped",
    says="You return keys and values in the wrong order: the keys come first.",
    spares=["causal"],
    edit=('["E"].T, K, V', '["E"].T, V, K'),
)

wrong(
    "unscaled",
    says="Your scores are not scaled: divide them by √K, the root of the width of one head.",
    loses=["whole", "one-by-one", "pieces"],
    edit=(" / math.sqrt(Q.shape[-1])", ""),
)

wrong(
    "values-from-keys",
    says="You compute the values with W_K. Use W_V.",
    spares=["by-hand", "causal"],
    edit=('split(x @ w["W_V"])', 'split(x @ w["W_K"])'),
)

broken('w["P"][start:S]', 'w["P"][start + 1 : S + 1]')
broken("torch.arange(S) > own", "torch.arange(S) > own + 1")
broken('y = x + found @ w["W_O"]', 'y = found @ w["W_O"]')
broken('split(x @ w["W_V"])', 'split(x @ w["W_K"])')
