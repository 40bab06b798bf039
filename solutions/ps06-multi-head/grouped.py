@right("group-axis", "an axis for the groups, nothing repeated")
def grouped_attention(Q, K, V):
    B, H, T, _ = Q.shape
    Q = Q.unflatten(1, (K.shape[1], -1))
    scores = Q @ K[:, :, None].mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    return (weights @ V[:, :, None]).flatten(1, 2), weights.flatten(1, 2)


def pooled(W, heads, groups):
    stacked = torch.stack(W.chunk(heads, dim=1))
    by_group = stacked.chunk(groups)
    return torch.cat([group.mean(dim=0) for group in by_group], dim=1)


def numbers_kept(B, S, groups, d_k, d_v):
    return B * groups * S * d_k + B * groups * S * d_v


@right("indexed", "each head's group by its number; pooling as a product")
def grouped_attention(Q, K, V):
    group = torch.arange(Q.shape[1]) // (Q.shape[1] // K.shape[1])
    scores = torch.einsum("bhtk,bhsk->bhts", Q, K[:, group])
    weights = scores.div(Q.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("bhts,bhsv->bhtv", weights, V[:, group]), weights


def pooled(W, heads, groups):
    share = torch.eye(groups, dtype=W.dtype).repeat_interleave(heads // groups, 0)
    share = share * groups / heads  # (H, G)
    return torch.einsum("dhk,hg->dgk", W.view(len(W), heads, -1), share).flatten(1)


def numbers_kept(B, S, groups, d_k, d_v):
    one_token = sum(d_k + d_v for _ in range(groups))
    return one_token * S * B


@right("loop", "a loop over the heads")
def grouped_attention(Q, K, V):
    H, G = Q.shape[1], K.shape[1]
    outputs, weights = [], []
    for h in range(H):
        g = h * G // H
        scores = Q[:, h] @ K[:, g].transpose(1, 2) * Q.shape[-1] ** -0.5
        weights.append(torch.softmax(scores, dim=2))
        outputs.append(weights[h] @ V[:, g])
    return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)


def pooled(W, heads, groups):
    K, each = W.shape[1] // heads, heads // groups
    out = torch.zeros(len(W), groups * K, dtype=W.dtype)
    for h in range(heads):
        g = h // each
        out[:, g * K : (g + 1) * K] += W[:, h * K : (h + 1) * K] / each
    return out


def numbers_kept(B, S, groups, d_k, d_v):
    keys, values = (B, groups, S, d_k), (B, groups, S, d_v)
    return math.prod(keys) + math.prod(values)


@right("plain", "the steps that the wrong answers below change", edited=True)
def grouped_attention(Q, K, V):
    H, G = Q.shape[1], K.shape[1]
    K = K.repeat_interleave(H // G, dim=1)
    V = V.repeat_interleave(H // G, dim=1)
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)
    return weights @ V, weights


def pooled(W, heads, groups):
    D = len(W)
    return W.view(D, groups, heads // groups, -1).mean(2).flatten(1)


def numbers_kept(B, S, groups, d_k, d_v):
    return B * S * groups * (d_k + d_v)


wrong(
    "a-number-as-text",
    "gives text back",
    match="expected a number, got a str",
    loses=["cache"],
    edit=("B * S * groups * (d_k + d_v)", "str(B * S * groups * (d_k + d_v))"),
)

wrong(
    "axis-left",
    "leaves groups and heads an axis each",
    says="Groups and heads still have separate axes. Merge them into one, (B, H, T, ...).",
    spares=["pooled", "cache"],
    edit=(
        "K = K.repeat_interleave(H // G, dim=1)\n    V = V.repeat_interleave(H // G, dim=1)",
        "Q = Q.unflatten(1, (G, -1))\n    K, V = K[:, :, None], V[:, :, None]",
    ),
)

wrong(
    "brackets-left-out",
    says=(
        "You add d_v after multiplying. The sum d_k + d_v must be multiplied: put it in brackets."
    ),
    loses=["cache"],
    edit=("* (d_k + d_v)", "* d_k + d_v"),
)

wrong(
    "bytes",
    says="Your count is four times too large. Count numbers, not bytes.",
    loses=["cache"],
    edit=("B * S * groups * (d_k + d_v)", "4 * B * S * groups * (d_k + d_v)"),
)

wrong(
    "detached",
    "shared keys cut off from the gradient",
    match="no gradient reaches K",
    loses=["gradients"],
    edit=(
        "K.repeat_interleave(H // G, dim=1)",
        "torch.cat([K[:, h * G // H, None] for h in range(H)], 1).detach()",
    ),
)

wrong(
    "divided-by-d-k",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    loses=["by-hand", "values", "gradients"],
    edit=("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
)


@wrong(
    "divided-in-place",
    "divides the matrix in place before it adds the heads up",
    match="changes its input W",
    loses=["pooled"],
)
def grouped_attention(Q, K, V):
    each = Q.shape[1] // K.shape[1]
    K, V = (x.repeat_interleave(each, dim=1) for x in (K, V))
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)
    return weights @ V, weights


def pooled(W, heads, groups):
    each = heads // groups
    W /= each
    return W.view(len(W), groups, each, -1).sum(2).flatten(1)


def numbers_kept(B, S, groups, d_k, d_v):
    return B * S * groups * (d_k + d_v)


wrong(
    "every-other-head",
    "pools heads that do not lie side by side",
    says="Your groups take every G-th head. Neighbouring heads share a group.",
    loses=["pooled"],
    edit=(
        "W.view(D, groups, heads // groups, -1).mean(2).flatten",
        "W.view(D, heads // groups, groups, -1).mean(1).flatten",
    ),
)

wrong(
    "first-group",
    "all heads take the first group",
    says="All your heads take the first group. Each group serves its own heads.",
    spares=["pooled", "cache"],
    edit=(
        "K = K.repeat_interleave(H // G, dim=1)\n    V = V.repeat_interleave(H // G, dim=1)",
        "K, V = K[:, :1], V[:, :1]",
    ),
)

wrong(
    "first-of-group",
    "keeps the first head of each group",
    says="You keep the first head of each group. Take the mean of its heads.",
    loses=["pooled"],
    edit=(
        "W.view(D, groups, heads // groups, -1).mean(2).flatten",
        "W.view(D, groups, heads // groups, -1)[:, :, 0].flatten",
    ),
)

wrong(
    "keys-alone",
    "counts the keys alone",
    says="You count the keys alone. Keys and values are both kept: d_k + d_v numbers.",
    loses=["cache"],
    edit=("* (d_k + d_v)", "* d_k"),
)

wrong(
    "keys-by-repeat",
    says=(
        "Your keys and values do not match: head h takes the keys of one group and the values "
        "of another. Its keys are those of group h mod G."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("K.repeat_interleave(H // G, dim=1)", "K.repeat(1, H // G, 1, 1)"),
)

wrong(
    "keys-twice",
    says="Values need not be as wide as keys: d_k + d_v numbers, not 2 · d_k.",
    loses=["cache"],
    edit=("(d_k + d_v)", "2 * d_k"),
)

wrong(
    "last-of-group",
    says="You keep the last head of each group. Take the mean of its heads.",
    loses=["pooled"],
    edit=(".mean(2).flatten", "[:, :, -1].flatten"),
)

wrong(
    "mean-of-groups",
    "all heads take the mean of the groups",
    says="All your heads take the mean of the groups. Each group serves its own heads.",
    spares=["pooled", "cache"],
    edit=(
        "K = K.repeat_interleave(H // G, dim=1)\n    V = V.repeat_interleave(H // G, dim=1)",
        "K, V = K.mean(dim=1, keepdim=True), V.mean(dim=1, keepdim=True)",
    ),
)

wrong(
    "mean-queries",
    "averages the queries of a group",
    says=(
        "You average the queries of a group. Only keys and values are shared: each head "
        "keeps its own queries, and there are H outputs."
    ),
    spares=["pooled", "cache"],
    edit=(
        "K = K.repeat_interleave(H // G, dim=1)\n    V = V.repeat_interleave(H // G, dim=1)",
        "Q = Q.unflatten(1, (G, -1)).mean(dim=2)",
    ),
)

wrong(
    "multiplied",
    says="Your scores are multiplied by √d_k: divide by it instead.",
    loses=["by-hand", "values", "gradients"],
    edit=("K.mT / math", "K.mT * math"),
)

wrong(
    "neighbouring-columns",
    "averages columns inside a head",
    says=(
        "You average neighbouring columns inside a head. Average column c of every head of "
        "the group to get column c."
    ),
    loses=["pooled"],
    edit=(
        "W.view(D, groups, heads // groups, -1).mean(2).flatten(1)",
        "W.view(D, -1, heads // groups).mean(dim=2)",
    ),
)

wrong(
    "not-shared",
    "expects as many groups as heads",
    match="stops with RuntimeError",
    spares=["pooled", "cache"],
    edit=(
        "K = K.repeat_interleave(H // G, dim=1)\n    V = V.repeat_interleave(H // G, dim=1)",
        "pass",
    ),
)

wrong(
    "one-group",
    says="You count one group only. Each group has its own keys and values.",
    loses=["cache"],
    edit=("S * groups *", "S *"),
)

wrong(
    "one-sequence",
    says="You count one sequence only. Each sequence of the batch has its own keys and values.",
    loses=["cache"],
    edit=("B * S * groups", "S * groups"),
)

wrong(
    "over-heads",
    says=(
        "Your weights sum to 1 over the heads, not over the keys. Each head has its own "
        "softmax, over the last axis: dim=-1."
    ),
    spares=["pooled", "cache"],
    edit=("dim=-1", "dim=1"),
)

wrong(
    "over-queries",
    "the softmax runs over the queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does "
        "your softmax run over?"
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("dim=-1", "dim=-2"),
)

wrong(
    "pooled-axis-left",
    says="Your result still has an axis for the groups. Put them side by side, (D, G·K).",
    loses=["pooled"],
    edit=(".mean(2).flatten(1)", ".mean(2)"),
)

wrong(
    "product-of-widths",
    "multiplies the widths of keys and values",
    says="Keys and values are stored side by side: d_k + d_v numbers, not d_k · d_v.",
    loses=["cache"],
    edit=("* (d_k + d_v)", "* d_k * d_v"),
)

wrong(
    "repeat",
    "repeat for repeat_interleave",
    says=(
        "Head h takes group h mod G. Neighbouring heads share a group: with 4 heads and 2 "
        "groups, heads 0 and 1 take group 0. (repeat counts 0 1 0 1, repeat_interleave 0 0 "
        "1 1.)"
    ),
    spares=["pooled", "cache"],
    edit=(
        "K = K.repeat_interleave(H // G, dim=1)\n    V = V.repeat_interleave(H // G, dim=1)",
        "K = K.repeat(1, H // G, 1, 1)\n    V = V.repeat(1, H // G, 1, 1)",
    ),
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
    says=(
        "The number under your root is the number of heads. It must be d_k, the width of one head."
    ),
    spares=["pooled", "cache"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(Q.shape[1])"),
)

wrong(
    "root-of-keys",
    says=(
        "The number under your root is the number of keys. It must be d_k, the width of one head."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(K.shape[-2])"),
)

wrong(
    "scaled-after",
    says=(
        "You divide by √d_k after the softmax: the weights of a query no longer sum to 1. "
        "Scale the scores, then take the softmax."
    ),
    loses=["by-hand", "values", "gradients"],
    edit=(
        "(Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)",
        "(Q @ K.mT).softmax(dim=-1) / math.sqrt(Q.shape[-1])",
    ),
)

wrong(
    "summed",
    "pools by adding up",
    says="You add up the heads of a group. Take their mean.",
    loses=["pooled"],
    edit=(
        "W.view(D, groups, heads // groups, -1).mean",
        "W.view(D, groups, heads // groups, -1).sum",
    ),
)

wrong(
    "twice",
    says=(
        "Your count is twice as large as it should be. d_k + d_v already covers keys and "
        "values, and the answer is in numbers, not bytes."
    ),
    loses=["cache"],
    edit=("B * S * groups * (d_k + d_v)", "2 * B * S * groups * (d_k + d_v)"),
)

wrong(
    "unscaled",
    "not scaled",
    says="Your scores are not scaled: divide them by √d_k, the root of the width of one head.",
    loses=["by-hand", "values", "gradients"],
    edit=("K.mT / math.sqrt(Q.shape[-1])", "K.mT"),
)

wrong(
    "values-alone",
    says="You count the values alone. Keys and values are both kept: d_k + d_v numbers.",
    loses=["cache"],
    edit=("* (d_k + d_v)", "* d_v"),
)

wrong(
    "values-by-repeat",
    "repeat for the values alone",
    says=(
        "Your keys and values do not match: head h takes the keys of one group and the values "
        "of another. Its values are those of group h mod G."
    ),
    spares=["pooled", "cache"],
    edit=("V.repeat_interleave(H // G, dim=1)", "V.repeat(1, H // G, 1, 1)"),
)

wrong(
    "weights-kept",
    "counts with the square of the length",
    says="The number kept grows with S, not with its square: the weights are not kept.",
    loses=["cache"],
    edit=("* groups", "* S * groups"),
)

wrong(
    "wrong-axis-repeated",
    "repeats along the tokens",
    match=r"weights: shape \(2, 3, 2, 15\)",
    spares=["pooled", "cache"],
    edit=(
        "K = K.repeat_interleave(H // G, dim=1)\n    V = V.repeat_interleave(H // G, dim=1)",
        "K = K.repeat_interleave(H // G, dim=2)\n    V = V.repeat_interleave(H // G, dim=2)",
    ),
)

broken("V = V.repeat_interleave(each, dim=1)", "V = V.flip(1).repeat_interleave(each, dim=1)")
broken("each = Q.shape[1] // K.shape[1]", "each = K.shape[1]")
broken("by_group.mean(dim=2)", "by_group.median(dim=2).values")
broken("return B * S * groups * (d_k + d_v)", "return B * S * groups * 2 * d_k")
