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


@wrong(
    "after-softmax",
    "the mask comes after the softmax",
    told="^The mask comes after the softmax",
    spares=["by-hand", "mask"],
)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights


wrong(
    "either",
    "allowed by any of the three",
    told="any one of the three",
    loses=["by-hand", "mask"],
    edit=("return (j <= i) & (i - j < w) & real", "return (j <= i) | (i - j < w) | real"),
)


@wrong(
    "even-on-empty",
    "an empty row spreads its weight evenly",
    told="spreads its weight evenly",
    loses=["empty", "gradients"],
)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights


@wrong(
    "fill-too-high",
    "writes -10000 into hidden scores, which a lower one outweighs",
    told="The number that you write into hidden",
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
    told="the first sequence hides keys in all",
    loses=["shared", "empty"],
    edit=("mask[:, None]", "mask[:1, None]"),
)

wrong(
    "four-axes-only",
    "knows no mask for all heads",
    told="stops with RuntimeError in a hidden test",
    loses=["shared", "empty"],
    edit=("mask[:, None]", "mask.expand(Q.shape[:3] + K.shape[2:3])"),
)

wrong(
    "inverted",
    "True = hidden, in both",
    told="True = may be attended to",
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
    "mask-against-heads",
    "three axes meet the heads",
    told="The mask of sequence b was used",
    loses=["shared", "empty"],
    edit=("mask[:, None]", "mask"),
)


@wrong(
    "nan-gradient",
    "NaN is replaced in the output, but stays in the gradient",
    told="0 · NaN is NaN",
    loses=["gradients"],
)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    hide = torch.zeros(mask.shape, dtype=Q.dtype).masked_fill(~mask, -math.inf)
    weights = torch.nan_to_num((scores + hide).softmax(dim=-1))
    return weights @ V, weights


@wrong("nan-on-empty", "a row of -inf gives NaN", told="gives 0/0", loses=["empty", "gradients"])
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ V, weights


wrong(
    "no-padding",
    "forgets the padding",
    told="padding may still be attended to",
    loses=["by-hand", "mask"],
    edit=(
        "return (j <= i) & (i - j < w) & real[:, None, None, :]",
        "return ((j <= i) & (i - j < w)).expand(len(real), len(windows), T, S)",
    ),
)

wrong(
    "not-causal",
    "a window to both sides",
    told="reach to both sides",
    loses=["by-hand", "mask"],
    edit=("return (j <= i) & (i - j < w)", "return ((i - j).abs() < w)"),
)


@wrong(
    "not-low-enough",
    "takes 100 away, which a large score outweighs",
    told="a large number at a hidden key",
    loses=["values"],
)
def heads_mask(real, windows, T):
    S = real.shape[1]
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    w = windows[:, None, None]
    return (j <= i) & (i - j < w) & real[:, None, None, :]


def masked_heads(Q, K, V, mask):
    if mask.dim() == 3:
        mask = mask[:, None]
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = (scores - 100.0 * ~mask).softmax(dim=-1)
    weights = weights * mask.any(dim=-1, keepdim=True)
    return weights @ V, weights


wrong(
    "one-too-many",
    "the window holds w positions beside the query's own",
    told="one position too many",
    loses=["by-hand", "mask"],
    edit=("j < w", "j <= w"),
)

wrong(
    "over-heads",
    "the softmax runs over the heads",
    told="over axis 1 of 4",
    spares=["by-hand", "mask"],
    edit=("dim=-1", "dim=1"),
)

wrong(
    "padding-by-head",
    "the padding goes to the heads",
    told="not to the sequences",
    loses=["by-hand", "mask"],
    edit=(
        "return (j <= i) & (i - j < w) & real[:, None, None, :]",
        "return ((j <= i) & (i - j < w) & real[:, None, :])[None]",
    ),
)

wrong(
    "padding-empties-queries",
    "empties the rows of padding too",
    told="empty the rows of queries",
    loses=["by-hand", "mask"],
    edit=("real[:, None, None, :]", "real[:, None, None, :] & real[:, None, S - T :, None]"),
)


@wrong(
    "padding-on-queries",
    "the padding hides rows and not columns",
    told="padding hides rows",
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
    told="first T positions",
    loses=["by-hand", "mask"],
    edit=("S - T, S", "T"),
)


@wrong(
    "queries-scaled-in-place", "divides Q in place", told="changes its input Q", loses=["shared"]
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
    "unscaled",
    "not scaled",
    spares=["by-hand", "mask"],
    edit=("K.mT / math.sqrt(Q.shape[-1])", "K.mT"),
)

wrong(
    "windows-by-sequence",
    "the windows go to the batch",
    told="not to the heads",
    loses=["by-hand", "mask"],
    edit=("j < w", "j < windows[:, None, None, None]"),
)

wrong(
    "windows-unused",
    "one causal mask for all heads",
    told="windows have no effect",
    loses=["by-hand", "mask"],
    edit=(
        "return (j <= i) & (i - j < w) & real[:, None, None, :]",
        "return ((j <= i) & real[:, None, None, :]).expand(len(real), len(windows), T, S)",
    ),
)

wrong(
    "zeros-and-ones",
    "floats 0 and 1 instead of booleans",
    told="a mask here is boolean",
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
