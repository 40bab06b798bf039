@right("head-by-head", "a loop over the heads; exp and its sum written out")
def heads_mask(real, windows, T):
    S = real.shape[1]
    back = torch.arange(S - T, S).unsqueeze(1) - torch.arange(S).unsqueeze(0)
    seen = [(back >= 0) & (back <= w - 1) for w in windows]
    return torch.stack([s & real[:, None] for s in seen], dim=1)


def masked_heads(Q, K, V, mask):
    outputs, weights = [], []
    for h in range(Q.shape[1]):
        own = mask if mask.dim() == 3 else mask[:, h]
        scores = Q[:, h] @ K[:, h].mT * Q.shape[-1] ** -0.5
        scores = torch.where(own, scores, torch.zeros_like(scores))
        largest = torch.where(own, scores, -1e30).amax(-1, keepdim=True).detach()
        exps = torch.exp(torch.where(own, scores - largest, -1e4)) * own
        total = exps.sum(-1, keepdim=True)
        weights.append(exps / torch.where(total > 0, total, torch.ones_like(total)))
        outputs.append(weights[-1] @ V[:, h])
    return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)


@right("loops", "entry by entry; empty rows apart")
def heads_mask(real, windows, T):
    B, S = real.shape
    mask = torch.zeros(B, len(windows), T, S, dtype=torch.bool)
    for h, w in enumerate(windows.tolist()):
        for i in range(T):
            place = S - T + i
            first = max(0, place - w + 1)
            mask[:, h, i, first : place + 1] = real[:, first : place + 1]
    return mask


def masked_heads(Q, K, V, mask):
    mask = mask.view(len(Q), -1, *mask.shape[-2:])
    some = mask.any(dim=-1, keepdim=True)
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(~(mask | ~some), -math.inf)
    weights = torch.where(some, scores.softmax(dim=-1), 0.0)
    return weights @ V, weights


@right("triangles", "triangles; the mask applied again after the softmax")
def heads_mask(real, windows, T):
    S = real.shape[1]
    ones = torch.ones(T, S, dtype=torch.bool)
    rows = [ones.tril(S - T).triu(S - T - w + 1) for w in windows.tolist()]
    return torch.logical_and(torch.stack(rows), real.unsqueeze(1).unsqueeze(1))


def masked_heads(Q, K, V, mask):
    mask = mask if mask.ndim == 4 else mask.unsqueeze(1)
    scores = torch.einsum("bhtk,bhsk->bhts", Q, K) / Q.size(-1) ** 0.5
    scores = scores.masked_fill(mask.logical_not(), -math.inf)
    weights = scores.softmax(-1).masked_fill(mask.logical_not(), 0.0)
    return weights @ V, weights


@right("plain", "the steps that the wrong answers below change", edited=True)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask
    return weights @ V, weights


wrong(
    "after-softmax",
    "the mask comes after the softmax",
    says=(
        "The mask comes after the softmax, so the weights that are left no longer sum to "
        "1. Hide the scores before the softmax: then the remaining weights sum to 1."
    ),
    spares=["by-hand", "mask"],
    edit=(
        (
            "lowest = torch.finfo(scores.dtype).min\n"
            "    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask"
        ),
        "weights = scores.softmax(dim=-1) * mask",
    ),
)


wrong(
    "divided-by-d-k",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    spares=["by-hand", "mask"],
    edit=("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
)

wrong(
    "either",
    "allowed by any of the three",
    says=(
        "Your mask allows what any one of the three masks allows. A key must be allowed by "
        "all three."
    ),
    loses=["by-hand", "mask"],
    edit=("return (j <= i) & (i - j < w) & real", "return (j <= i) | (i - j < w) | real"),
)


wrong(
    "even-on-empty",
    "an empty row spreads its weight evenly",
    says=(
        "A query that may attend to nothing spreads its weight evenly over keys that it "
        "may not see. Its weights, and so its output, must be zeros."
    ),
    loses=["empty", "gradients"],
    edit=(
        (
            "lowest = torch.finfo(scores.dtype).min\n"
            "    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask"
        ),
        "weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)",
    ),
)


wrong(
    "far",
    says=(
        "Your windows hide the near positions and show the far ones. A window of w holds the "
        "query's own position and w - 1 before it."
    ),
    loses=["by-hand", "mask"],
    edit=("j < w", "j >= w"),
)

wrong(
    "fill-inverted",
    says=(
        "Your mask hides the keys that it should show. True = may be attended to, so fill a "
        "score where the mask is not True: ~mask."
    ),
    spares=["by-hand", "mask"],
    edit=("masked_fill(~mask", "masked_fill(mask"),
)


@wrong(
    "fill-too-high",
    "writes -10000 into hidden scores, which a lower one outweighs",
    says=(
        "The number that you write into hidden scores is not low enough: hidden keys still take "
        "weight. 0 gives exp(0) = 1, and -10000 fails if the visible scores are lower still. "
        "Use -∞, or the lowest number of the dtype, torch.finfo(scores.dtype).min."
    ),
    loses=["values"],
)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    seen = (j <= i) & (i - j < windows[:, None, None])
    return seen & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask.unsqueeze(1)
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(~mask, -1e4)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights


wrong(
    "first-mask-for-all",
    "the first sequence's mask for the whole batch",
    says="You apply the first sequence's mask to the whole batch. Each sequence has its own.",
    loses=["shared", "empty"],
    edit=("mask[:, None]", "mask[:1, None]"),
)

wrong(
    "four-axes-only",
    "knows no mask for all heads",
    says=(
        "Your code uses the mask of sequence b for head b of every sequence: in (B, T, S), the "
        "batch axis meets the heads of (B, H, T, S). Give it an axis for the heads, (B, 1, T, "
        "S)."
    ),
    loses=["shared", "empty"],
    edit=("mask[:, None]", "mask.expand(Q.shape[:3] + K.shape[2:3])"),
)

wrong(
    "hidden-at-0",
    says=(
        "Hidden scores become 0, or nearly so, and exp(0) = 1 is not a small weight: they "
        "must become -∞. (The mask does not multiply the scores, and -1e-9 is not -1e9.)"
    ),
    spares=["by-hand", "mask"],
    edit=(
        "scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask",
        "(scores * mask).softmax(dim=-1)",
    ),
)

wrong(
    "hidden-at-0-then-cleared",
    says=(
        "The number that you write into hidden scores is not low enough: hidden keys still take "
        "weight. 0 gives exp(0) = 1, and -10000 fails if the visible scores are lower still. "
        "Use -∞, or the lowest number of the dtype, torch.finfo(scores.dtype).min."
    ),
    spares=["by-hand", "mask"],
    edit=("~mask, lowest", "~mask, 0.0"),
)

wrong(
    "inverted",
    "True = hidden, in both",
    says="The mask is the wrong way round: True = may be attended to, and you hide those.",
    edit=[
        (
            "return (j <= i) & (i - j < w) & real[:, None, None, :]",
            "return ~((j <= i) & (i - j < w) & real[:, None, None, :])",
        ),
        (
            "scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask",
            "scores.masked_fill(mask, lowest).softmax(dim=-1) * ~mask",
        ),
    ],
)

wrong(
    "mask-added",
    says=(
        "The mask is added as 0 and 1: that raises the allowed scores by 1 and hides "
        "nothing. A hidden score must become -∞, so that exp(score) is 0."
    ),
    spares=["by-hand", "mask"],
    edit=(
        "scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask",
        "(scores + mask).softmax(dim=-1)",
    ),
)

wrong(
    "mask-against-heads",
    "three axes meet the heads",
    says=(
        "Your code uses the mask of sequence b for head b of every sequence: in (B, T, S), the "
        "batch axis meets the heads of (B, H, T, S). Give it an axis for the heads, (B, 1, T, "
        "S)."
    ),
    loses=["shared", "empty"],
    edit=("mask[:, None]", "mask"),
)

wrong(
    "masked-copy-lost",
    says=(
        "The mask has no effect: hidden keys get the weight that they would get without it. If "
        "you call masked_fill, use what it returns: it does not change the scores."
    ),
    spares=["by-hand", "mask"],
    edit=(
        "weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask",
        "scores.masked_fill(~mask, lowest)\n    weights = scores.softmax(dim=-1)",
    ),
)

wrong(
    "multiplied",
    says="Your scores are multiplied by √d_k: divide by it instead.",
    spares=["by-hand", "mask"],
    edit=("K.mT / math", "K.mT * math"),
)


wrong(
    "nan-gradient",
    "NaN is replaced in the output, but stays in the gradient",
    match="0 · NaN is NaN",
    loses=["gradients"],
    edit=(
        (
            "lowest = torch.finfo(scores.dtype).min\n"
            "    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask"
        ),
        (
            "hide = torch.zeros(mask.shape, dtype=Q.dtype).masked_fill(~mask, -math.inf)\n"
            "    weights = torch.nan_to_num((scores + hide).softmax(dim=-1))"
        ),
    ),
)


wrong(
    "nan-on-empty",
    "a row of -inf gives NaN",
    match="gives 0/0",
    loses=["empty", "gradients"],
    edit=(
        (
            "lowest = torch.finfo(scores.dtype).min\n"
            "    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask"
        ),
        "weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)",
    ),
)


wrong(
    "next-seen",
    says=(
        "Your mask lets each position see the next one: key i + 1 leaks. Look at the diagonal: "
        "j ≤ i."
    ),
    loses=["by-hand", "mask"],
    edit=("j <= i)", "j <= i + 1)"),
)

wrong(
    "no-padding",
    "forgets the padding",
    says="The padding may still be attended to. real hides keys, in every row of its sequence.",
    loses=["by-hand", "mask"],
    edit=(
        "return (j <= i) & (i - j < w) & real[:, None, None, :]",
        "return ((j <= i) & (i - j < w)).expand(len(real), len(windows), T, S)",
    ),
)

wrong(
    "no-self",
    says=(
        "Your mask hides each position from itself. Position i attends to itself, too: j ≤ i, "
        "including the diagonal."
    ),
    loses=["by-hand", "mask"],
    edit=("j <= i)", "j < i)"),
)

wrong(
    "not-causal",
    "a window to both sides",
    says="Your windows reach to both sides, and nothing hides later keys: j ≤ i.",
    loses=["by-hand", "mask"],
    edit=("return (j <= i) & (i - j < w)", "return ((i - j).abs() < w)"),
)


wrong(
    "not-low-enough",
    "takes 100 away, which a large score outweighs",
    says=(
        "A hidden key still gets weight when its score is large: what you add to it or put "
        "in its place must outweigh any score, as -∞ does."
    ),
    loses=["values"],
    edit=(
        (
            "lowest = torch.finfo(scores.dtype).min\n"
            "    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask"
        ),
        (
            "weights = (scores - 100.0 * ~mask).softmax(dim=-1)\n"
            "    weights = weights * mask.any(dim=-1, keepdim=True)"
        ),
    ),
)


wrong(
    "one-too-few",
    says=(
        "Your windows allow one position too few. A window of w holds the query's own "
        "position and w - 1 before it."
    ),
    loses=["by-hand", "mask"],
    edit=("j < w", "j < w - 1"),
)

wrong(
    "one-too-many",
    "the window holds w positions beside the query's own",
    says=(
        "Your windows allow one position too many. A window of w holds the query's own "
        "position and w - 1 before it."
    ),
    loses=["by-hand", "mask"],
    edit=("j < w", "j <= w"),
)

wrong(
    "over-heads",
    "the softmax runs over the heads",
    says=(
        "Your weights sum to 1 over the heads, not over the keys. Each head has its own "
        "softmax, over the last axis: dim=-1."
    ),
    spares=["by-hand", "mask"],
    edit=("dim=-1", "dim=1"),
)

wrong(
    "over-queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does "
        "your softmax run over?"
    ),
    spares=["by-hand", "mask"],
    edit=("dim=-1", "dim=-2"),
)

wrong(
    "padding-by-head",
    "the padding goes to the heads",
    says=(
        "You apply the padding to the heads, not to the sequences. Reshape (B, S) to (B, 1, 1, "
        "S) to match (B, H, T, S)."
    ),
    loses=["by-hand", "mask"],
    edit=(
        "return (j <= i) & (i - j < w) & real[:, None, None, :]",
        "return ((j <= i) & (i - j < w) & real[:, None, :])[None]",
    ),
)

wrong(
    "padding-empties-queries",
    "empties the rows of padding too",
    says=(
        "You empty the rows of queries that are padding. real says which keys, the "
        "columns, are hidden."
    ),
    loses=["by-hand", "mask"],
    edit=("real[:, None, None, :]", "real[:, None, None, :] & real[:, None, S - T :, None]"),
)


@wrong(
    "padding-on-queries",
    "the padding hides rows and not columns",
    says="Your padding hides rows, the queries. real says which keys, the columns, are hidden.",
    loses=["by-hand", "mask"],
)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return ((j <= i) & (i - j < w) & real[:, None, S - T :, None]).expand(
        len(real), len(windows), T, S
    )


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask
    return weights @ V, weights


wrong(
    "queries-first",
    "the queries stand at the first positions",
    says=(
        "Your queries are at the first T positions. They are the last T of all S: query i "
        "is at position S - T + i."
    ),
    loses=["by-hand", "mask"],
    edit=("S - T, S", "T"),
)


@wrong(
    "queries-scaled-in-place", "divides Q in place", match="changes its input Q", loses=["shared"]
)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    seen = (j <= i) & (i - j < windows[:, None, None])
    return seen & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask.unsqueeze(1)
    Q /= math.sqrt(Q.shape[-1])
    scores = Q @ K.mT
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights


wrong(
    "root-of-heads",
    says=(
        "The number under your root is the number of heads. It must be d_k, the width of one head."
    ),
    loses=["values", "shared", "empty"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(Q.shape[1])"),
)

wrong(
    "root-of-keys",
    says=(
        "The number under your root is the number of keys. It must be d_k, the width of one head."
    ),
    spares=["by-hand", "mask"],
    edit=("math.sqrt(Q.shape[-1])", "math.sqrt(K.shape[-2])"),
)

wrong(
    "unscaled",
    "not scaled",
    says="Your scores are not scaled: divide them by √d_k, the root of the width of one head.",
    spares=["by-hand", "mask"],
    edit=("K.mT / math.sqrt(Q.shape[-1])", "K.mT"),
)

wrong(
    "window-alone",
    says="Your mask does not hide later keys. A window only reaches back: j ≤ i.",
    loses=["by-hand", "mask"],
    edit=("(j <= i) & (i - j", "(i - j"),
)

wrong(
    "windows-by-sequence",
    "the windows go to the batch",
    says=(
        "You apply the windows to the sequences of the batch, not to the heads. Reshape (H,) to "
        "(H, 1, 1) to match (B, H, T, S)."
    ),
    loses=["by-hand", "mask"],
    edit=("j < w", "j < windows[:, None, None, None]"),
)

wrong(
    "windows-unused",
    "one causal mask for all heads",
    says="The windows have no effect in your mask: all heads have the same mask.",
    loses=["by-hand", "mask"],
    edit=(
        "return (j <= i) & (i - j < w) & real[:, None, None, :]",
        "return ((j <= i) & real[:, None, None, :]).expand(len(real), len(windows), T, S)",
    ),
)

wrong(
    "zeros-and-ones",
    "floats 0 and 1 instead of booleans",
    match="a mask here is boolean",
    loses=["by-hand", "mask"],
    edit=(
        "return (j <= i) & (i - j < w) & real[:, None, None, :]",
        "return ((j <= i) & (i - j < w) & real[:, None, None, :]).float()",
    ),
)

broken("causal = back >= 0", "causal = back > 0")
broken("place - torch.arange(S)", "place - torch.arange(S).flip(0)")
broken("windows[:, None, None]", "windows.flip(0)[:, None, None]")
broken("mask = mask[:, None]", "mask = mask.all(dim=0)[None, None]")
broken("scores.softmax(dim=-1), 0.0", "scores.softmax(dim=-1), 1e-3")
