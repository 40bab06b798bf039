@right("einsum", "einsum throughout")
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    q = torch.einsum("btd,hdk->bhtk", X, W_Q)
    k = torch.einsum("bse,hek->bhsk", C, W_K)
    a = torch.einsum("bhtk,bhsk->bhts", q, k).div(W_Q.shape[2] ** 0.5)
    v = torch.einsum("bse,hev,hvd->bhsd", C, W_V, W_O)
    parts = a.softmax(-1) @ v
    return parts.sum(1), parts


@right("loop", "a loop over the heads")
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    parts = []
    for q, k, v, o in zip(W_Q, W_K, W_V, W_O):
        scores = (X @ q) @ (C @ k).transpose(1, 2) / q.shape[1] ** 0.5
        parts.append(scores.softmax(dim=2) @ (C @ v) @ o)
    return sum(parts), torch.stack(parts, dim=1)


@right("side-by-side", "the output from the heads side by side and W_O in one")
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    def project(x, W):
        wide = x @ torch.cat(tuple(W), dim=1)
        return wide.unflatten(-1, (len(W), -1)).transpose(1, 2)

    Q, K, V = project(X, W_Q), project(C, W_K), project(C, W_V)
    weights = torch.softmax(Q @ K.mT * Q.shape[-1] ** -0.5, dim=-1)
    heads = weights @ V
    output = heads.transpose(1, 2).flatten(2) @ W_O.flatten(0, 1)
    return output, heads @ W_O


@right("plain", "the steps that the wrong answers below change", edited=True)
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    X, C = X[:, None], C[:, None]
    Q, K, V = X @ W_Q, C @ W_K, C @ W_V
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    parts = weights @ V @ W_O
    return parts.sum(dim=1), parts


wrong(
    "added-before",
    "adds the heads up before W_O",
    says=(
        "You add up the heads before W_O. Multiply each by its own block of W_O first, then add."
    ),
    edit=("parts.sum(dim=1)", "(weights @ V).sum(dim=1) @ W_O.sum(dim=0)"),
)


@wrong(
    "causal",
    says=(
        "You hide later words of the source, as a causal mask does. The whole source is known "
        "from the beginning: every token sees all of it."
    ),
)
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    X, C = X[:, None], C[:, None]
    Q, K, V = X @ W_Q, C @ W_K, C @ W_V
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(
        torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -math.inf
    ).softmax(dim=-1)
    parts = weights @ V @ W_O
    return parts.sum(dim=1), parts


wrong(
    "detached-source",
    "cuts the source off from the gradient",
    match="no gradient reaches C",
    loses=["gradients"],
    edit=[
        ("C[:, None]", "C[:, None].detach()"),
        (
            "scores = Q @ K.mT / math.sqrt(Q.shape[-1])\n    weights = scores.softmax(dim=-1)",
            "weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)",
        ),
    ],
)

wrong(
    "divided-by-d-k",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    edit=("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
)

wrong(
    "first-head",
    "the output is the first head's part",
    says="Your output is only what the first head adds. Sum over all heads.",
    edit=("parts.sum(dim=1)", "parts[:, 0]"),
)

wrong(
    "first-head-for-all",
    says="All your heads take the first head's W_Q, W_K and W_V: head ℓ has a matrix of its own.",
    edit=("X @ W_Q, C @ W_K, C @ W_V", "X @ W_Q[0], C @ W_K[0], C @ W_V[0]"),
)

wrong(
    "keys-from-x",
    "the keys come from the decoder's tokens",
    says="Your keys come from X. They must come from the source C.",
    edit=("W_Q, C", "W_Q, X"),
)

wrong(
    "last-head",
    says="Your output is only what the last head adds. Sum over all heads.",
    edit=("parts.sum(dim=1)", "parts[:, -1]"),
)

wrong(
    "mean",
    "averages what the heads add",
    says=(
        "You average what the heads add. Multiplying the heads, side by side, by W_O gives a "
        "sum over the heads, not their mean."
    ),
    edit=("parts.sum", "parts.mean"),
)

wrong(
    "multiplied",
    says="Your scores are multiplied by √d_k: divide by it instead.",
    edit=("K.mT / math", "K.mT * math"),
)


@wrong(
    "no-head-axis",
    says=(
        "Your batch meets the heads: (B, T, D) @ (H, D, K) pairs sequence b with head b. Give X "
        "and C an axis for the heads, (B, 1, T, D)."
    ),
)
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    Q, K, V = X @ W_Q, C @ W_K, C @ W_V
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)
    parts = weights @ V @ W_O
    return parts.sum(dim=0), parts


wrong(
    "no-last-matrix",
    says=(
        "Your parts and your output lack W_O. A part is what the head adds to the output, "
        "head · W_O."
    ),
    edit=("V @ W_O", "V"),
)

wrong(
    "no-softmax",
    says="The softmax is missing: the scores themselves multiply the values.",
    edit=("weights = scores.softmax(dim=-1)", "weights = scores"),
)

wrong(
    "one-last-matrix",
    "all heads meet the first head's W_O",
    says=(
        "You multiply all heads by the first head's part of W_O. Head ℓ has its own rows of W_O."
    ),
    edit=("V @ W_O", "V @ W_O[0]"),
)

wrong(
    "output-alone",
    "gives the output alone",
    match="expected 2 results",
    edit=("parts.sum(dim=1), parts", "parts.sum(dim=1)"),
)

wrong(
    "over-heads",
    "the softmax runs over the heads",
    says=(
        "Your weights sum to 1 over the heads, not over the keys. Each head has its own "
        "softmax, over the last axis: dim=-1."
    ),
    edit=("dim=-1", "dim=1"),
)

wrong(
    "over-queries",
    "the softmax runs over the queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does "
        "your softmax run over?"
    ),
    edit=("dim=-1", "dim=-2"),
)

wrong(
    "parts-before",
    "gives the heads before W_O as the parts",
    says="Your parts are the heads before W_O. A part is what the head adds to the output.",
    spares=["source", "gradients"],
    edit=("parts.sum(dim=1), parts", "parts.sum(dim=1), weights @ V"),
)

wrong(
    "parts-heads-first",
    says=(
        "Your parts are (H, B, T, D). The batch comes first, (B, H, T, D): stack the heads "
        "along axis 1."
    ),
    spares=["source", "gradients"],
    edit=("parts.sum(dim=1), parts", "parts.sum(dim=1), parts.transpose(0, 1)"),
)

wrong(
    "parts-tokens-first",
    says="Your parts are (B, T, H, D). The heads come before the tokens: (B, H, T, D).",
    spares=["source", "gradients"],
    edit=("parts.sum(dim=1), parts", "parts.sum(dim=1), parts.transpose(1, 2)"),
)

wrong(
    "residual",
    says=(
        "You add X to the output. The residual connection belongs to the block, chapter 8: "
        "here the output is what the heads add."
    ),
    edit=("parts.sum(dim=1), parts", "X[:, 0] + parts.sum(dim=1), parts"),
)

wrong(
    "roles-exchanged",
    "the source asks and the decoder's tokens are asked",
    says=(
        "The roles are swapped: queries come from the decoder's tokens X, keys and values from C."
    ),
    edit=("X @ W_Q, C @ W_K, C", "C @ W_Q, X @ W_K, X"),
)

wrong(
    "root-of-all-heads",
    says=(
        "The number under your root is the width of all heads together. It must be d_k, the "
        "width of one head."
    ),
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(Q.shape[1] * Q.shape[-1])"),
)

wrong(
    "root-of-d-model",
    "scaled by the root of d_model",
    says=(
        "The number under your root is d_model, the width of a token of X. It must be d_k, "
        "the width of one head."
    ),
    edit=("Q.shape", "X.shape"),
)

wrong(
    "root-of-d-v",
    says=(
        "The number under your root is d_v, the width of a value. It must be d_k, the width "
        "of one head."
    ),
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(V.shape[-1])"),
)

wrong(
    "root-of-heads",
    says=(
        "The number under your root is the number of heads. It must be d_k, the width of one head."
    ),
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(Q.shape[1])"),
)

wrong(
    "root-of-source",
    says=(
        "The number under your root is the number of tokens of C. It must be d_k, the width "
        "of one head."
    ),
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(K.shape[-2])"),
)

wrong(
    "running-sums",
    says=(
        "Your parts are running sums: part ℓ includes the heads before ℓ. A part is what "
        "this head alone adds."
    ),
    spares=["source", "gradients"],
    edit=("parts.sum(dim=1), parts", "parts.sum(dim=1), parts.cumsum(dim=1)"),
)

wrong(
    "self",
    "the decoder's tokens look at themselves",
    says="The source is not used: your keys and values come from X, as in self-attention.",
    edit=("C @ W_K, C", "X @ W_K, X"),
)

wrong(
    "shares",
    "shares the output out evenly among the heads",
    says="Your parts are equal shares of one sum. A part is what this head alone adds.",
    spares=["source", "gradients"],
    edit=(
        "parts.sum(dim=1), parts",
        "parts.sum(dim=1), (parts.sum(dim=1, keepdim=True) / len(W_O)).expand_as(parts)",
    ),
)


@wrong(
    "tokens-scaled-in-place", "divides X in place", match="changes its input X", loses=["by-hand"]
)
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    X /= math.sqrt(W_Q.shape[-1])
    Q, K, V = (x[:, None] @ W for x, W in ((X, W_Q), (C, W_K), (C, W_V)))
    parts = (Q @ K.mT).softmax(dim=-1) @ V @ W_O
    return parts.sum(dim=1), parts


wrong(
    "unscaled",
    "not scaled",
    says="Your scores are not scaled: divide them by √d_k, the root of the width of one head.",
    edit=("K.mT / math.sqrt(Q.shape[-1])", "K.mT"),
)

wrong(
    "values-from-x",
    "the values come from the decoder's tokens",
    says="Your values come from X. They must come from the source C.",
    edit=("W_K, C", "W_K, X"),
)

wrong(
    "weights-returned",
    "gives the weights as the parts",
    says="You return the weights as the parts. A part is what the head adds to the output.",
    spares=["source", "gradients"],
    edit=("parts.sum(dim=1), parts", "parts.sum(dim=1), weights"),
)

broken("C @ W_K, C @ W_V", "C @ W_K, C.flip(2) @ W_V")
broken("math.sqrt(Q.shape[-1])", "math.sqrt(K.shape[-2])")
broken("parts = weights @ V @ W_O", "parts = weights @ V @ W_O.flip(0)")
broken("parts.sum(dim=1), parts", "parts.amax(dim=1), parts")
