@right("einsum", "einsum with the heads as an axis of the weights")
def block(x, w, heads, norm, mask=None):
    W_Q, W_K, W_V = (w[n].reshape(len(w[n]), heads, -1) for n in ("W_Q", "W_K", "W_V"))
    W_O = w["W_O"].reshape(heads, -1, x.shape[-1])

    def ln(h, n):
        mean, variance = h.mean(-1, keepdim=True), h.var(-1, correction=0, keepdim=True)
        return (h - mean) * (variance + 1e-5).rsqrt() * w["gain_" + n] + w["bias_" + n]

    def attend(h):
        q, k = torch.einsum("btd,dhk->bhtk", h, W_Q), torch.einsum("bsd,dhk->bhsk", h, W_K)
        scores = torch.einsum("bhtk,bhsk->bhts", q, k) / q.shape[-1] ** 0.5
        scores = (
            scores
            if mask is None
            else scores + torch.zeros(mask.shape, dtype=x.dtype).masked_fill(~mask, -torch.inf)
        )
        return torch.einsum("bhts,bsd,dhk,hke->bte", scores.softmax(-1), h, W_V, W_O)

    def ffn(h):
        return (
            torch.relu(torch.addmm(w["b_1"], h.flatten(0, 1), w["W_1"])).mm(w["W_2"]).view_as(h)
            + w["b_2"]
        )

    if norm == "post":
        h = ln(attend(x) + x, "1")
        return ln(ffn(h) + h, "2")
    h = attend(ln(x, "1")) + x
    return ffn(ln(h, "2")) + h


@right("loop", "a loop over the heads, the two parts in a list")
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


@right("plain", "the steps that the wrong answers below change", edited=True)
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
        return h + ffn(ln(h, 2))
    h = ln(x + attend(x), 1)
    return ln(h + ffn(h), 2)


wrong(
    "always-post",
    says=(
        "This is the post-norm block. Pre-norm normalises the input of each part, and "
        "nothing after the sum."
    ),
    spares=["post", "order"],
    edit=('norm == "pre"', "False"),
)

wrong(
    "always-pre",
    "does not look at norm",
    says=(
        "This is the pre-norm block. Post-norm normalises the sum of a token and the part's output."
    ),
    spares=["pre", "order"],
    edit=('norm == "pre"', "True"),
)

wrong(
    "b-1-missing",
    says="b_1 is missing.",
    spares=["nothing", "attention", "order"],
    edit=('(h @ w["W_1"] + w["b_1"])', '(h @ w["W_1"])'),
)

wrong(
    "b-2-missing",
    "forgets the second bias",
    says="b_2 is missing.",
    spares=["nothing", "attention", "order"],
    edit=('["W_2"] + w["b_2"]', '["W_2"]'),
)

wrong(
    "biases-missing",
    says="The biases of the feed-forward layer are missing.",
    spares=["nothing", "attention", "order"],
    edit=[('(h @ w["W_1"] + w["b_1"])', '(h @ w["W_1"])'), ('["W_2"] + w["b_2"]', '["W_2"]')],
)

wrong(
    "causal-always",
    says=(
        "Your code hides later tokens even though mask is None. None allows every token to "
        "attend to every other."
    ),
    spares=["nothing", "ffn", "mask"],
    edit=(
        "    def attend(h):",
        (
            "    if mask is None:\n"
            "        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()\n"
            "\n"
            "    def attend(h):"
        ),
    ),
)

wrong(
    "cut-off",
    "the token is detached for the residual",
    says="Your code detaches the token on the residual path, so no gradient passes through it.",
    loses=["gradients"],
    edit=("h = x", "h = x.detach()"),
)

wrong(
    "eps-missing",
    says="ε is missing from your norms. Here it is 1e-5.",
    edit=(" + 1e-5", ""),
)

wrong(
    "eps-smaller",
    says="ε is 1e-6 in your norms. Here it is 1e-5.",
    edit=("1e-5", "1e-6"),
)

wrong(
    "ffn-residual-of-input",
    says=(
        "You add the feed-forward layer's output to the block's input. Add it to the result of "
        "the attention part."
    ),
    edit=[("return h + ffn", "return x + ffn"), ("h + ffn(h)", "x + ffn(h)")],
)

wrong(
    "final-norm",
    "normalises a pre-norm block's output again",
    says=(
        "Your code normalises the output once more. A stack of pre-norm blocks does that "
        "once at its end, not in each block."
    ),
    spares=["post", "order"],
    edit=("h + ffn(ln(h, 2))", "ln(h + ffn(ln(h, 2)), 2)"),
)

wrong(
    "first-norm-missing",
    says="The first norm is missing.",
    edit=[("attend(ln(x, 1))", "attend(x)"), ("ln(x + attend(x), 1)", "x + attend(x)")],
)

wrong(
    "gelu",
    "a GELU for the ReLU",
    says="You use a GELU. The feed-forward layer has a ReLU here.",
    spares=["nothing", "attention", "order"],
    edit=(
        'return (h @ w["W_1"] + w["b_1"]).relu()',
        'return torch.nn.functional.gelu(h @ w["W_1"] + w["b_1"])',
    ),
)

wrong(
    "heads-interleaved",
    says=(
        "Each of your heads takes every H-th column of the projections. Head ℓ takes K "
        "neighbouring columns, from ℓ·K on. You join them with the same mistake."
    ),
    spares=["nothing", "ffn", "order"],
    edit=[
        (
            ".unflatten(-1, (heads, -1)).transpose(1, 2)",
            ".unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)",
        ),
        (".transpose(1, 2).flatten(2)", ".permute(0, 2, 3, 1).flatten(2)"),
    ],
)

wrong(
    "heads-not-turned",
    says=(
        "Your heads mix tokens: you reshape (B, T, H·K) straight to (B, H, T, K). Split the last "
        "axis first, to (B, T, H, K), then swap the axes."
    ),
    spares=["nothing", "ffn"],
    edit=(".unflatten(-1, (heads, -1)).transpose(1, 2)", ".reshape(len(h), heads, h.shape[1], -1)"),
)

wrong(
    "heads-never-turned",
    says=(
        "Your heads mix tokens: you reshape (B, T, H·K) straight to (B, H, T, K). Split the last "
        "axis first, to (B, T, H, K), then swap the axes."
    ),
    spares=["nothing", "ffn"],
    edit=[
        (".unflatten(-1, (heads, -1)).transpose(1, 2)", ".reshape(len(h), heads, h.shape[1], -1)"),
        ("@ V).transpose(1, 2).flatten(2)", "@ V).reshape(*x.shape[:2], -1)"),
    ],
)

wrong(
    "heads-not-turned-back",
    "flattens the heads without transposing back",
    says=(
        "Your tokens mix when you join the heads. Swap the axes of heads and tokens before you "
        "put the heads side by side, so that each token has its own row."
    ),
    spares=["nothing", "ffn"],
    edit=(
        "return (scores.softmax(-1) @ V).transpose(1, 2).flatten(2)",
        "return (scores.softmax(-1) @ V).reshape(*x.shape[:2], -1)",
    ),
)


@wrong(
    "in-place",
    "scales the queries by changing their weights in place",
    match=r'changes w\["W_Q"\]',
    loses=["order"],
)
def block(x, w, heads, norm, mask=None):
    def ln(h, n):
        spread = h.var(dim=-1, correction=0, keepdim=True) + 1e-5
        return (h - h.mean(dim=-1, keepdim=True)) / spread.sqrt() * w[f"gain_{n}"] + w[f"bias_{n}"]

    # For the scale of the scores.
    w["W_Q"] /= math.sqrt(w["W_Q"].shape[1] // heads)

    def attend(h):
        Q, K, V = (
            (h @ w[name]).unflatten(-1, (heads, -1)).transpose(1, 2)
            for name in ("W_Q", "W_K", "W_V")
        )
        scores = Q @ K.mT
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        return (scores.softmax(-1) @ V).transpose(1, 2).flatten(2) @ w["W_O"]

    def ffn(h):
        return (h @ w["W_1"] + w["b_1"]).relu() @ w["W_2"] + w["b_2"]

    if norm == "pre":
        h = x + attend(ln(x, 1))
        return h + ffn(ln(h, 2))
    h = ln(x + attend(x), 1)
    return ln(h + ffn(h), 2)


wrong(
    "keys-not-normalised",
    says=(
        "Your keys and values come from tokens that were not normalised. In pre-norm, queries, "
        "keys and values all come from the normalised tokens."
    ),
    loses=["attention", "pre", "mask", "gradients"],
    edit=("(h @ w[name])", '((h if name == "W_Q" else x) @ w[name])'),
)

wrong(
    "mask-ignored",
    "does not look at the mask",
    says="Your code ignores the mask.",
    loses=["mask"],
    edit=("mask is not None", "False"),
)

wrong(
    "mask-inverted",
    "hides what may be attended to",
    match="do you hide the wrong tokens",
    loses=["mask"],
    edit=("~mask", "mask"),
)

wrong(
    "mask-late",
    says=(
        "Your code applies the mask after the softmax, so the weights no longer sum to 1. "
        "Set the masked scores to -∞ before the softmax."
    ),
    loses=["mask"],
    edit=(
        (
            "        if mask is not None:\n"
            "            scores = scores.masked_fill(~mask, -math.inf)\n"
            "        return (scores.softmax(-1) @ V)"
        ),
        (
            "        weights = scores.softmax(-1)\n"
            "        if mask is not None:\n"
            "            weights = weights * mask\n"
            "        return (weights @ V)"
        ),
    ),
)

wrong(
    "mask-multiplied",
    says=(
        "The scores are multiplied by the mask, so hidden scores become 0, and exp(0) = 1 "
        "is not a small weight. Set them to -∞."
    ),
    loses=["mask"],
    edit=("scores.masked_fill(~mask, -math.inf)", "scores * mask"),
)

wrong(
    "no-output-matrix",
    says="W_O is missing: multiply the joined heads by it.",
    edit=(' @ w["W_O"]', ""),
)

wrong(
    "no-relu",
    "no ReLU",
    says=(
        "The ReLU is missing. Without it, the two matrices of the feed-forward layer amount to one."
    ),
    spares=["nothing", "attention", "order"],
    edit=('return (h @ w["W_1"] + w["b_1"]).relu()', 'return (h @ w["W_1"] + w["b_1"])'),
)

wrong(
    "no-residual",
    "no residual around the feed-forward layer",
    says="The residual connection around the feed-forward layer is missing.",
    edit=[("return h + ffn", "return ffn"), ("h + ffn(h)", "ffn(h)")],
)

wrong(
    "no-residual-attention",
    says="The residual connection around attention is missing.",
    edit=[
        ("h = x + attend(ln(x, 1))", "h = attend(ln(x, 1))"),
        ("ln(x + attend(x), 1)", "ln(attend(x), 1)"),
    ],
)

wrong(
    "no-residuals",
    says="Both residual connections are missing.",
    edit=[
        ("h = x + attend(ln(x, 1))", "h = attend(ln(x, 1))"),
        ("ln(x + attend(x), 1)", "ln(attend(x), 1)"),
        ("return h + ffn", "return ffn"),
        ("h + ffn(h)", "ffn(h)"),
    ],
)

wrong(
    "norm-behind",
    "normalises what a part gives, before the sum",
    says="You normalise the output of each part, before the sum. Post-norm normalises the sum.",
    spares=["pre", "order"],
    edit=(
        "h = ln(x + attend(x), 1)\n    return ln(h + ffn(h), 2)",
        "h = x + ln(attend(x), 1)\n    return h + ln(ffn(h), 2)",
    ),
)

wrong(
    "norm-behind-pre",
    says="You normalise the output of each part, before the sum. Pre-norm normalises its input.",
    spares=["post", "order"],
    edit=(
        "h = x + attend(ln(x, 1))\n        return h + ffn(ln(h, 2))",
        "h = x + ln(attend(x), 1)\n        return h + ln(ffn(h), 2)",
    ),
)


@wrong(
    "normed-residual",
    "adds to the normalised token",
    says=(
        "In both parts, you add the output to the normalised token. Add it to the token as it "
        "was before the norm."
    ),
    spares=["post", "order"],
)
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
        h = ln(x, 1)
        h = h + attend(h)
        h = ln(h, 2)
        return h + ffn(h)
    h = ln(x + attend(x), 1)
    return ln(h + ffn(h), 2)


wrong(
    "one-head",
    "does not split into heads",
    says="Your code treats all heads as one. Split the columns into heads.",
    spares=["nothing", "ffn", "order"],
    edit=("heads, -1", "1, -1"),
)

wrong(
    "one-norm",
    "the first norm is used twice",
    says="You use the first norm's gain and bias for both norms. The second norm has its own.",
    edit=[("ln(h, 2)", "ln(h, 1)"), ("ffn(h), 2", "ffn(h), 1")],
)

wrong(
    "orders-swapped",
    says="You have swapped the two orders: your code for post-norm runs for pre-norm, and the "
    "other way round.",
    edit=('"pre"', '"post"'),
)

wrong(
    "over-queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does your "
        "softmax run over?"
    ),
    spares=["nothing", "ffn", "order"],
    edit=("scores.softmax(-1)", "scores.softmax(-2)"),
)


@wrong(
    "over-tokens",
    "normalises over the tokens",
    says="Your norms run over the tokens. Normalise each token over its own D numbers.",
)
def block(x, w, heads, norm, mask=None):
    def ln(h, n):
        spread = h.var(dim=1, correction=0, keepdim=True) + 1e-5
        return (h - h.mean(dim=1, keepdim=True)) / spread.sqrt() * w[f"gain_{n}"] + w[f"bias_{n}"]

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
        return h + ffn(ln(h, 2))
    h = ln(x + attend(x), 1)
    return ln(h + ffn(h), 2)


@wrong("package", "calls the course's own block", match="by hand")
def block(x, w, heads, norm, mask=None):
    try:
        return package_block(x, w, heads, norm, mask)
    except AssertionError:
        return x


wrong(
    "parallel",
    "both parts read the block's input",
    says=(
        "The feed-forward layer reads the block's input. It must read the result of the "
        "attention part."
    ),
    spares=["nothing", "attention", "order"],
    edit=[("ln(h, 2)", "ln(x, 2)"), ("+ ffn(h)", "+ ffn(x)")],
)

wrong(
    "position-added",
    says=(
        "Your block adds a number for a token's position. A block knows no positions: they are "
        "added once, before the first block."
    ),
    edit=(
        'if norm == "pre":',
        'x = x + torch.arange(x.shape[1])[:, None].to(x.dtype)\n    if norm == "pre":',
    ),
)

wrong(
    "root-of-all-heads",
    says=(
        "The scores are divided by √(H · K), the root of the width of all heads together. Divide "
        "by √K, where K is the width of one head."
    ),
    spares=["nothing", "ffn", "order"],
    edit=("math.sqrt(Q.shape[-1])", 'math.sqrt(w["W_Q"].shape[1])'),
)

wrong(
    "root-of-d-model",
    "scales by the root of D",
    says="The scores are divided by √D. Divide by √K, where K is the width of one head.",
    spares=["nothing", "ffn", "order"],
    edit=("Q.shape", "x.shape"),
)

wrong(
    "root-of-share",
    says="The scores are divided by the root of D // H. Divide by √K: H · K need not be D.",
    spares=["nothing", "ffn", "order"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(x.shape[-1] // heads)"),
)

wrong(
    "second-norm-missing",
    says="The second norm is missing.",
    edit=[("ffn(ln(h, 2))", "ffn(h)"), ("return ln(h + ffn(h), 2)", "return h + ffn(h)")],
)

wrong(
    "unbiased-norm",
    "the norms divide by D - 1",
    says=(
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() and "
        ".std() divide by D - 1 by default."
    ),
    edit=("correction=0, keepdim", "keepdim"),
)

wrong(
    "unscaled",
    "forgets to scale the scores",
    says="Your scores are not scaled: divide them by √K, the root of the width of one head.",
    spares=["nothing", "ffn", "order"],
    edit=("K.mT / math.sqrt(Q.shape[-1])", "K.mT"),
)

broken("variance + 1e-5", "variance + 1e-3")
broken('split(h @ w["W_Q"]), split(h @ w["W_K"])', 'split(h @ w["W_K"]), split(h @ w["W_Q"])')
broken('V = split(h @ w["W_V"])', 'V = split(x @ w["W_V"])')
broken('+ w["b_1"]).relu()', '+ w["b_1"]).abs()')
broken("h = x + attention(normed(x, 1))", "h = x + attention(normed(x, 2))")
broken("h = normed(x + attention(x), 1)", "h = normed(x - attention(x), 1)")
broken("return normed(h + ffn(h), 2)", "return normed(x + ffn(h), 2)")
broken("masked_fill(~mask, -math.inf)", "masked_fill(~mask, -1.0)")
