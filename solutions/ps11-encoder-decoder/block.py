@right("einsum", "einsum with the heads as an axis of the weights, the mask added to the scores")
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
    padding = y.new_zeros(source_real.shape).masked_fill(~source_real, -torch.inf)
    h = ln(attend("self", y, y, later)[0] + y, "1")
    found, weights = attend("cross", h, m, padding[:, None, None, :])
    h = ln(found + h, "2")
    return ln(torch.relu(h @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"] + h, "3"), weights


@right("loop", "a loop over sentences, positions and heads; padding is cut off instead of hidden")
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
                    q, k, u = (
                        h @ w[name + "_Q"][:, cut],
                        other @ w[name + "_K"][:, cut],
                        other @ w[name + "_V"][:, cut],
                    )
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


@right("plain", "the steps that the wrong answers below change", edited=True)
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
    h = ln(y + attend("self", y, y, causal)[0], 1)
    found, weights = attend("cross", h, m, words)
    h = ln(h + found, 2)
    return ln(h + ffn(h), 3), weights


wrong(
    "adds-to-input",
    says=(
        "You add the cross-attention's result to the block's input. Add it to the output of the "
        "first norm."
    ),
    spares=["causal"],
    edit=("h + found", "y + found"),
)


wrong(
    "asks-with-input",
    says=(
        "The queries of your cross-attention come from the block's input. Make them from the "
        "output of the first norm."
    ),
    spares=["idle", "causal"],
    edit=("h, m, words", "y, m, words"),
)


wrong(
    "causal-besides",
    says=(
        "You use the causal mask on the source. The whole source is known before the first word "
        "is written, so only its padding is hidden."
    ),
    edit=("m, words", "m, words & causal"),
)


wrong(
    "causal-source",
    "hides the source with the target's mask",
    says=(
        "You use the causal mask on the source. The whole source is known before the first word "
        "is written, so only its padding is hidden."
    ),
    edit=("m, words", "m, causal"),
)


wrong(
    "causal-turned",
    says="The causal mask is transposed: a word sees itself and later words, but no earlier ones.",
    spares=["idle", "cross"],
    edit=(".tril()", ".triu()"),
)


wrong(
    "epsilon-outside",
    says="ε is outside the root. Add it to the variance, √(σ² + ε), not to σ.",
    spares=["causal"],
    edit=[
        ("keepdim=True) + 1e-5", "keepdim=True)"),
        ("/ spread.sqrt()", "/ (spread.sqrt() + 1e-5)"),
    ],
)


wrong(
    "first-norm-everywhere",
    says="You use the first norm's gain and bias for all three norms. Each norm has its own.",
    spares=["causal"],
    edit=('w[f"gain_{n}"] + w[f"bias_{n}"]', 'w["gain_1"] + w["bias_1"]'),
)


wrong(
    "heads-joined",
    says=(
        "Your tokens mix when you join the heads. Swap the axes of heads and tokens before you "
        "put the heads side by side, so that each token has its own row."
    ),
    spares=["idle"],
    edit=(
        "(weights @ V).transpose(1, 2).flatten(2)",
        "(weights @ V).reshape(len(x), x.shape[1], -1)",
    ),
)


wrong(
    "heads-split-joined",
    says=(
        "Your heads mix tokens: you reshape (B, T, H·K) straight to (B, H, T, K). Split the last "
        "axis first, to (B, T, H, K), then swap the axes. You join them with the same mistake."
    ),
    spares=["idle"],
    edit=[
        (
            "unflatten(-1, (heads, -1)).transpose(1, 2)",
            "reshape(len(each), heads, each.shape[1], -1)",
        ),
        (
            "(weights @ V).transpose(1, 2).flatten(2)",
            "(weights @ V).reshape(len(x), x.shape[1], -1)",
        ),
    ],
)


@wrong(
    "mask-turned",
    says=(
        "Your mask hides the words of the source instead of its padding. True = may be attended to."
    ),
)
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


wrong(
    "mean-weights",
    says="You return the mean of the weights over the heads. Return the weights of each head.",
    spares=["causal", "gradients"],
    edit=("ffn(h), 3), weights", "ffn(h), 3), weights.mean(dim=1)"),
)


wrong(
    "no-causal",
    "lets a word of the target see those after it",
    says="The causal mask is missing: a word of the target sees later words.",
    spares=["idle", "cross"],
    edit=("y, causal", "y, torch.ones_like(causal)"),
)


wrong(
    "no-relu",
    says="The ReLU is missing.",
    loses=["values", "padding", "gradients"],
    edit=('(h @ w["W_1"] + w["b_1"]).relu()', '(h @ w["W_1"] + w["b_1"])'),
)


wrong(
    "no-residual",
    "forgets the residual around the cross-attention",
    says="The residual connection around the cross-attention is missing.",
    spares=["causal"],
    edit=("h + found", "found"),
)


wrong(
    "no-residual-ffn",
    says="The residual connection around the feed-forward layer is missing.",
    spares=["causal"],
    edit=("h + ffn(h)", "ffn(h)"),
)


wrong(
    "no-residual-self",
    says="The residual connection around self-attention is missing.",
    spares=["causal"],
    edit=("ln(y + attend", "ln(attend"),
)


wrong(
    "norm-of-part",
    says="You normalise the output of each part, before the sum. Normalise the sum.",
    spares=["causal"],
    edit=[
        (
            'h = ln(y + attend("self", y, y, causal)[0], 1)',
            'h = y + ln(attend("self", y, y, causal)[0], 1)',
        ),
        ("h = ln(h + found, 2)", "h = h + ln(found, 2)"),
        ("return ln(h + ffn(h), 3)", "return h + ln(ffn(h), 3)"),
    ],
)


wrong(
    "one-head",
    says="Your code treats all heads as one. Split the columns into heads.",
    spares=["causal"],
    edit=("(heads, -1)", "(1, -1)"),
)


wrong(
    "padding-seen",
    "looks at the padding of the source",
    says=(
        "Your cross-attention attends to padding of the source. source_real says which positions "
        "are words."
    ),
    spares=["causal"],
    edit=("m, words", "m, torch.ones_like(words)"),
)


@wrong(
    "pre-norm",
    "normalises what goes into each part",
    says="This is the pre-norm block. Here each sum is normalised, as in 2017.",
    spares=["causal"],
)
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


wrong(
    "queries-from-source",
    "takes queries from the source, keys and values from the target",
    says=(
        "Your queries come from the source, and your keys and values from the target. It must be "
        "the other way round: the queries come from the target, whose next word is being "
        "written."
    ),
    edit=("h, m,", "m, h,"),
)


wrong(
    "scaled-by-D",
    says="The scores are divided by √D. Divide by √K, where K is the width of one head.",
    spares=["idle", "causal"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(y.shape[-1])"),
)


wrong(
    "self-matrices",
    says="The cross-attention uses the matrices of self-attention. It has its own.",
    spares=["causal"],
    edit=('attend("cross"', 'attend("self"'),
)


wrong(
    "source-padding-in-self",
    says=(
        "In self-attention, your mask for the source's padding hides words of the target. Source "
        "and target have their own lengths."
    ),
    edit=("y, causal)", "y, causal & words)"),
)


wrong(
    "unbiased-variance",
    says=(
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() and "
        ".std() divide by D - 1 by default."
    ),
    spares=["causal"],
    edit=("correction=0, ", ""),
)


wrong(
    "unscaled",
    says="Your scores are not scaled: divide them by √K, the root of the width of one head.",
    spares=["idle", "causal"],
    edit=(" / math.sqrt(Q.shape[-1])", ""),
)


broken("variance + 1e-5", "variance + 1e-3")
broken('V = split(asked @ w[f"{name}_V"])', 'V = split(asked @ w["self_V"])')
broken("math.sqrt(Q.shape[-1])", "Q.shape[-1]")
broken("dtype=torch.bool).tril()", "dtype=torch.bool).tril(1)")
broken('attention("cross", h, m, words)', 'attention("cross", y, m, words)')
broken("h = normed(h + found, 2)", "h = normed(h - found, 2)")
broken('hidden @ w["W_2"] + w["b_2"], 3)', 'hidden @ w["W_2"] + w["b_2"], 2)')
