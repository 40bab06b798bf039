@right("einsum", "matrices with a head axis, and einsum")
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    W_Q, W_K, W_V = (W.unflatten(1, (heads, -1)) for W in (W_Q, W_K, W_V))
    W_O = W_O.unflatten(0, (heads, -1))
    q = torch.einsum("btd,dhk->bhtk", X, W_Q) * W_Q.shape[-1] ** -0.5
    k = torch.einsum("bsd,dhk->bhsk", X, W_K)
    v = torch.einsum("bsd,dhv->bhsv", X, W_V)
    a = torch.einsum("bhtk,bhsk->bhts", q, k).softmax(-1)
    return torch.einsum("bhts,bhsv,hvd->btd", a, v, W_O), a


@right("folded", "the heads folded into the batch axis, bmm")
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, _ = X.shape

    def fold(W):
        parts = (X @ W).chunk(heads, dim=2)
        return torch.stack(parts, dim=1).reshape(B * heads, T, -1)

    q, k, v = fold(W_Q), fold(W_K), fold(W_V)
    scores = torch.bmm(q, k.transpose(1, 2)).div(math.sqrt(q.size(2)))
    weights = nn.functional.softmax(scores, dim=2)
    out = torch.bmm(weights, v).view(B, heads, T, -1)
    out = torch.cat([out[:, h] for h in range(heads)], dim=-1)
    return torch.matmul(out, W_O), weights.view(B, heads, T, T)


@right("loop", "a loop over the heads, each with its own columns")
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    k, v = W_Q.shape[1] // heads, W_V.shape[1] // heads
    found, looked = [], []
    for h in range(heads):
        Q = X @ W_Q[:, h * k : (h + 1) * k]
        K = X @ W_K[:, h * k : (h + 1) * k]
        V = X @ W_V[:, h * v : (h + 1) * v]
        weights = torch.softmax(Q @ K.transpose(1, 2) / k**0.5, dim=2)
        found.append(weights @ V)
        looked.append(weights)
    return torch.cat(found, dim=2) @ W_O, torch.stack(looked, dim=1)


@right("plain", "the steps that the wrong answers below change", edited=True)
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    Q, K, V = ((X @ W).view(B, T, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    out = (weights @ V).transpose(1, 2).reshape(B, T, -1)
    return out @ W_O, weights


wrong(
    "averaged",
    says=(
        "You divide by the number of heads. Multiplying the heads, side by side, by W_O "
        "gives a sum over the heads, not their mean."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("out @ W_O", "out @ W_O / heads"),
)


@wrong(
    "batch-mixed",
    says=(
        "Your heads and sequences change places: if you fold the heads into the batch axis as "
        "(H, B), unfold them as (H, B) too."
    ),
)
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, _ = X.shape

    def fold(W):
        return torch.cat((X @ W).chunk(heads, dim=2), dim=0)

    q, k, v = fold(W_Q), fold(W_K), fold(W_V)
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1)
    out = (weights @ v).view(B, heads, T, -1).transpose(1, 2)
    return out.reshape(B, T, -1) @ W_O, weights.view(B, heads, T, T)


wrong(
    "causal",
    says=(
        "You hide later tokens. There is no mask in this exercise: each token looks at all of them."
    ),
    edit=(
        "= scores.softmax",
        "= scores.masked_fill(torch.ones(T, T).triu(1) == 1, -math.inf).softmax",
    ),
)

wrong(
    "detached",
    "cuts the weights off from the gradient",
    match="no gradient reaches W_Q",
    loses=["gradients"],
    edit=("scores.softmax", "scores.detach().softmax"),
)

wrong(
    "divided-by-d-k",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    loses=["by-hand", "values", "gradients"],
    edit=("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
)


@wrong(
    "first-head-for-all",
    "all heads take the columns of the first",
    says=(
        "All your heads take the first head's W_Q, W_K and W_V: head ℓ has its own "
        "columns, from ℓ·K on."
    ),
)
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    k, v = W_Q.shape[1] // heads, W_V.shape[1] // heads
    Q, K, V = X @ W_Q[:, :k], X @ W_K[:, :k], X @ W_V[:, :v]
    weights = (Q @ K.mT / math.sqrt(k)).softmax(dim=-1)
    out = torch.cat([weights @ V] * heads, dim=-1)
    return out @ W_O, torch.stack([weights] * heads, dim=1)


wrong(
    "heads-behind",
    "attends among the heads of one token",
    says=(
        "Your heads come after the tokens, (B, T, H, K), so the heads of one token attend "
        "to each other. Swap the axes of heads and tokens before the scores."
    ),
    edit=[
        (
            "= ((X @ W).view(B, T, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))",
            "= ((X @ W).view(B, T, heads, -1) for W in (W_Q, W_K, W_V))",
        ),
        ("out = (weights @ V).transpose(1, 2).reshape", "out = (weights @ V).reshape"),
    ],
)

wrong(
    "heads-first",
    says=(
        "Your weights are (H, B, T, T). The batch comes first, (B, H, T, T): stack the "
        "heads along axis 1."
    ),
    spares=["order", "gradients"],
    edit=("W_O, weights", "W_O, weights.transpose(0, 1)"),
)

wrong(
    "interleaved",
    "every H-th column for a head",
    says=(
        "Each of your heads takes every H-th column of the projections. Head ℓ takes K "
        "neighbouring columns, from ℓ·K on."
    ),
    edit=(
        "= ((X @ W).view(B, T, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))",
        "= ((X @ W).view(B, T, -1, heads).permute(0, 3, 1, 2) for W in (W_Q, W_K, W_V))",
    ),
)

wrong(
    "interleaved-both-ways",
    says=(
        "Each of your heads takes every H-th column of the projections. Head ℓ takes K "
        "neighbouring columns, from ℓ·K on. You join them with the same mistake."
    ),
    edit=[
        (
            "= ((X @ W).view(B, T, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))",
            "= ((X @ W).view(B, T, -1, heads).permute(0, 3, 1, 2) for W in (W_Q, W_K, W_V))",
        ),
        ("(weights @ V).transpose(1, 2).reshape", "(weights @ V).permute(0, 2, 3, 1).reshape"),
    ],
)

wrong(
    "keys-width-for-values",
    "assumes that values are as wide as keys",
    match=r"'\[1, 2, 2, 4\]' is invalid for input",
    edit=("heads, -1", "heads, W_Q.shape[1] // heads"),
)

wrong(
    "last-matrix-turned",
    "multiplies by the transpose of W_O",
    match=r"cannot be multiplied \(2x4 and 3x4\)",
    edit=("out @ W_O", "out @ W_O.T"),
)


@wrong(
    "matrix-scaled-in-place", "divides W_Q in place", match="changes its input W_Q", loses=["batch"]
)
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    W_Q /= math.sqrt(W_Q.shape[-1] // heads)
    Q, K, V = ((X @ W).view(B, T, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
    weights = (Q @ K.mT).softmax(dim=-1)
    out = (weights @ V).transpose(1, 2).reshape(B, T, -1)
    return out @ W_O, weights


wrong(
    "mean-weights",
    "gives the mean of the weights, as nn.MultiheadAttention does",
    says=(
        "You return the mean of the heads' weights. Return the weights of each head, (B, H, T, T)."
    ),
    spares=["order", "gradients"],
    edit=("W_O, weights", "W_O, weights.mean(dim=1)"),
)

wrong(
    "merged-straight",
    "heads merged without exchanging the axes",
    says=(
        "Your tokens mix when you join the heads. Swap the axes of heads and tokens before "
        "you put the heads side by side, so that each token has its own row."
    ),
    edit=("out = (weights @ V).transpose(1, 2).reshape", "out = (weights @ V).reshape"),
)

wrong(
    "multiplied",
    says="Your scores are multiplied by √d_k: divide by it instead.",
    loses=["by-hand", "values", "gradients"],
    edit=("K.mT / math", "K.mT * math"),
)

wrong(
    "no-last-matrix",
    "forgets W_O",
    says="W_O is not applied: you return the heads, side by side.",
    edit=("out @ W_O", "out"),
)

wrong(
    "no-softmax",
    says="The softmax is missing: the scores themselves multiply the values.",
    edit=("scores.softmax(dim=-1)", "scores"),
)


@wrong(
    "one-wide-head",
    "one softmax for all heads",
    says=(
        "Your code treats all heads as one wide head, with one softmax for each query. Give the "
        "heads their own axis before the scores."
    ),
)
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d_k = W_Q.shape[1] // heads
    weights = (Q @ K.mT / math.sqrt(d_k)).softmax(dim=-1)
    return weights @ V @ W_O, weights


wrong(
    "output-alone",
    "gives the output alone",
    match="expected 2 results",
    edit=("W_O, weights", "W_O"),
)

wrong(
    "over-batch",
    says=(
        "Your weights sum to 1 over the sequences of the batch, not over the keys. Each "
        "sequence has its own softmax, over the last axis: dim=-1."
    ),
    edit=("dim=-1", "dim=0"),
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


@wrong(
    "overlapping",
    says="Your heads overlap: head ℓ begins at column ℓ. It should begin at column ℓ·K.",
)
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    k, v = W_Q.shape[1] // heads, W_V.shape[1] // heads
    found, looked = [], []
    for h in range(heads):
        Q, K = X @ W_Q[:, h : h + k], X @ W_K[:, h : h + k]
        looked.append((Q @ K.mT / math.sqrt(k)).softmax(dim=-1))
        found.append(looked[h] @ X @ W_V[:, h : h + v])
    return torch.cat(found, dim=-1) @ W_O, torch.stack(looked, dim=1)


wrong(
    "queries-first",
    says="Your weights are (B, T, H, T). The heads come before the queries: (B, H, T, T).",
    spares=["order", "gradients"],
    edit=("W_O, weights", "W_O, weights.transpose(1, 2)"),
)

wrong(
    "ready-made",
    "lets PyTorch do it",
    match="here attention is written by hand",
    edit=(
        "out = (weights @ V).transpose",
        "out = nn.functional.scaled_dot_product_attention(Q, K, V).transpose",
    ),
)

wrong(
    "residual",
    says=(
        "You add X to the output. The residual connection belongs to the block, chapter 8: "
        "here the output is (heads side by side) W_O alone."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("out @ W_O", "X + out @ W_O"),
)

wrong(
    "root-of-all-heads",
    "scaled by the width of all heads together",
    says=(
        "The number under your root is the width of all heads together. It must be d_k, the "
        "width of one head."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("Q.shape[-1]", "W_Q.shape[1]"),
)

wrong(
    "root-of-d-model",
    "scaled by the root of d_model",
    says=(
        "The number under your root is d_model, the width of a token. It must be d_k, the "
        "width of one head."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("Q.shape[-1]", "D"),
)

wrong(
    "root-of-d-v",
    says=(
        "The number under your root is d_v, the width of a value. It must be d_k, the width "
        "of one head."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(V.shape[-1])"),
)

wrong(
    "root-of-heads",
    "scaled by the root of the number of heads",
    says=(
        "The number under your root is the number of heads. It must be d_k, the width of one head."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("Q.shape[-1]", "heads"),
)

wrong(
    "root-of-tokens",
    says=(
        "The number under your root is the number of tokens. It must be d_k, the width of one head."
    ),
    loses=["by-hand", "values"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(K.shape[-2])"),
)

wrong(
    "scores-returned",
    says="You return the scores, before the softmax, as the weights.",
    loses=["by-hand", "values", "heads"],
    edit=("W_O, weights", "W_O, scores"),
)

wrong(
    "straight-both-ways",
    "heads split straight, and merged the same way",
    says=(
        "Your heads mix tokens: you reshape (B, T, H·K) straight to (B, H, T, K). Split "
        "the last axis first, to (B, T, H, K), then swap the axes. You join them with the "
        "same mistake."
    ),
    edit=[
        (
            "= ((X @ W).view(B, T, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))",
            "= ((X @ W).view(B, heads, T, -1) for W in (W_Q, W_K, W_V))",
        ),
        ("out = (weights @ V).transpose(1, 2).reshape", "out = (weights @ V).reshape"),
    ],
)

wrong(
    "straight",
    "heads split straight, merged correctly",
    says=(
        "Your heads mix tokens: you reshape (B, T, H·K) straight to (B, H, T, K). Split "
        "the last axis first, to (B, T, H, K), then swap the axes."
    ),
    edit=(
        "= ((X @ W).view(B, T, heads, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))",
        "= ((X @ W).view(B, heads, T, -1) for W in (W_Q, W_K, W_V))",
    ),
)

wrong(
    "swapped",
    "queries and keys swapped",
    says=(
        "Queries and keys are swapped: row i of the scores belongs to query i, so it is Q "
        "Kᵀ and not K Qᵀ."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("Q @ K.mT", "K @ Q.mT"),
)

wrong(
    "unscaled",
    "not scaled",
    says="Your scores are not scaled: divide them by √d_k, the root of the width of one head.",
    loses=["by-hand", "values", "gradients"],
    edit=("K.mT / math.sqrt(Q.shape[-1])", "K.mT"),
)

broken("K = (X @ W_K)", "K = (X @ W_Q)")
broken("math.sqrt(Q.shape[-1])", "math.sqrt(V.shape[-1])")
broken("weights = scores.softmax(dim=-1)", "weights = scores.tril().softmax(dim=-1)")
broken("side_by_side @ W_O", "side_by_side @ W_O + X.mean()")
broken(
    "V = (X @ W_V).reshape(B, T, heads, -1).transpose(1, 2)",
    "V = (X @ W_V).reshape(B, T, heads, -1).transpose(1, 2).flip(1)",
)
