@right("loop", "document by document, words taken out for real")
def confidence_left(x, mask, v, W, b, k):
    left = []
    for document, real in zip(x, mask, strict=True):
        words = document[real]
        p = ((words @ v).softmax(0) @ words @ W + b).softmax(0)
        order = (words @ v).argsort(descending=True)
        rest = words[order[k:]]
        o = (rest @ v).softmax(0) @ rest if len(rest) else torch.zeros_like(v)
        left.append((o @ W + b).softmax(0)[p.argmax()])
    return torch.stack(left)


@right("ranks", "each word's rank by comparison; weights from exponentials")
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -math.inf)
    rank = (r[:, None, :] > r[:, :, None]).sum(-1)
    e = torch.exp(r - r.amax(1, keepdim=True))

    def logits(e):
        total = e.sum(1, keepdim=True)
        return torch.einsum("bs,bsd->bd", e / total.clamp(min=1e-30), x) @ W + b

    kept = (rank >= k) & mask
    low = r.masked_fill(~kept, torch.finfo(r.dtype).min)
    after = torch.exp(low - low.amax(1, keepdim=True)) * kept
    p = torch.nn.functional.softmax(logits(after), dim=1)
    return p[torch.arange(len(x)), logits(e).argmax(1)]


@right("plain", "the steps that the wrong answers below change", edited=True)
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]


@wrong(
    "all-classes",
    says=(
        "You return the probabilities of all classes. Return that of the class which was the "
        "likeliest before the deletion, (B,)."
    ),
)
def confidence_left(x, mask, v, W, b, k):
    r = x @ v
    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
    return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)


@wrong(
    "before",
    "looks at the confidence before the deletion",
    says="You return the confidence before anything is deleted.",
    spares=["nothing"],
)
def confidence_left(x, mask, v, W, b, k):
    a = (x @ v).masked_fill(~mask, -math.inf).softmax(-1)
    return ((a[..., None] * x).sum(1) @ W + b).softmax(-1).amax(-1)


@wrong(
    "class-after",
    "the largest probability after the deletion",
    says=(
        "You return the largest probability after the deletion, which may be another "
        "class's. Return that of the class predicted before."
    ),
    spares=["by-hand", "nothing"],
)
def confidence_left(x, mask, v, W, b, k):
    r = x @ v
    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
    return ((a[..., None] * x).sum(1) @ W + b).softmax(-1).amax(-1)


wrong(
    "column",
    says="gather keeps an axis of length 1. Take its only column: the result is (B,).",
    edit=(
        "p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]",
        "p(kept).gather(1, p(mask).argmax(-1, keepdim=True))",
    ),
)

wrong(
    "kth-alone",
    says="You delete only the k-th word. Delete the k words of largest weight.",
    loses=["values", "short"],
    edit=(
        "mask.scatter(1, rank[:, :k], False)",
        "mask.scatter(1, rank[:, k - 1 : k], False) if k else mask",
    ),
)

wrong(
    "logarithm",
    says="You return the logarithm. Return the probability.",
    edit=(
        "p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]",
        "p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0].log()",
    ),
)


wrong(
    "logits",
    "the logit instead of the probability",
    says="You return the logit of the class, before the softmax over the classes.",
    edit=(
        "return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)",
        "return (a[..., None] * x).sum(1) @ W + b",
    ),
)


@wrong(
    "lost",
    "how much was lost",
    says="You return how much confidence was lost. Return how much is left.",
)
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    kept = mask.scatter(1, rank[:, :k], False)
    before = p(mask)
    c = before.argmax(-1, keepdim=True)
    return (before - p(kept)).gather(1, c)[:, 0]


@wrong(
    "not-renormalised",
    "the weights of deleted words become 0, the others stay",
    says=(
        "The weights of the remaining words no longer sum to 1. Leave the deleted words "
        "out of the softmax."
    ),
    spares=["nothing"],
)
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -math.inf)
    a = r.softmax(-1)
    c = ((a[..., None] * x).sum(1) @ W + b).argmax(-1)
    a = a.scatter(1, a.argsort(descending=True)[:, :k], 0.0) * mask
    p = ((a[..., None] * x).sum(1) @ W + b).softmax(-1)
    return p[torch.arange(len(x)), c]


wrong(
    "nothing-left",
    "NaN if no word is left",
    match="a softmax over only -∞",
    loses=["short"],
    edit=(
        "r.masked_fill(~kept, -1e30).softmax(-1) * kept",
        "r.masked_fill(~kept, -math.inf).softmax(-1)",
    ),
)

wrong(
    "one-fewer",
    says="You delete one word fewer than k.",
    spares=["nothing"],
    edit=("rank[:, :k]", "rank[:, : max(k - 1, 0)]"),
)


wrong(
    "one-more",
    "deletes one word too many",
    says="You delete one word more than k.",
    spares=["by-hand", "class"],
    edit=("rank[:, :k]", "rank[:, : k + 1]"),
)


wrong(
    "padding-deleted",
    "padding of a large score is deleted",
    says=(
        "You delete padding, too: if its score is high, it counts as a word. Rank only the words."
    ),
    loses=["short"],
    edit=(
        (
            "rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)\n"
            "    kept = mask.scatter(1, rank[:, :k], False)"
        ),
        "kept = mask.scatter(1, r.argsort(descending=True)[:, :k], False)",
    ),
)


wrong(
    "padding-weighs",
    says="Padding gets weight in your softmax. Only words have weights.",
    loses=["short", "nothing"],
    edit=(
        "r.masked_fill(~kept, -1e30).softmax(-1) * kept",
        "r.masked_fill(mask & ~kept, -1e30).softmax(-1)",
    ),
)


@wrong(
    "scores-zeroed",
    "the scores of deleted words become 0",
    says=(
        "You set the deleted words' scores to 0, and exp(0) = 1 is not a small weight. Set "
        "them to -∞."
    ),
    spares=["nothing"],
)
def confidence_left(x, mask, v, W, b, k):
    r = x @ v

    def p(r):
        a = r.masked_fill(~mask, -math.inf).softmax(-1)
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = r.masked_fill(~mask, -math.inf).argsort(descending=True)
    after = p(r.scatter(1, rank[:, :k], 0.0))
    return after.gather(1, p(r).argmax(-1, keepdim=True))[:, 0]


wrong(
    "smallest",
    "deletes the words of the smallest weight",
    says="You delete the words with the smallest weights. Delete those with the largest.",
    spares=["nothing"],
    edit=(
        "r.masked_fill(~mask, -math.inf).argsort(descending=True)",
        "r.masked_fill(~mask, math.inf).argsort()",
    ),
)


@wrong(
    "threshold",
    "keeps what lies below the k-th weight, which is not there for k = 0",
    match="stops with",
    loses=["nothing"],
)
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -1e30)

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    limit = r.sort(descending=True).values[:, min(k, r.shape[1]) - 1, None]
    kept = mask & (r < limit)
    if k == 0:
        kept = mask & (r < r.topk(0).values[:, -1:])
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]


@wrong("topk", "topk of more words than there are positions", match="stops with", loses=["short"])
def confidence_left(x, mask, v, W, b, k):
    r = (x @ v).masked_fill(~mask, -1e30)

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    kept = mask.scatter(1, r.topk(k).indices, False)
    return p(kept).gather(1, p(mask).argmax(-1, keepdim=True))[:, 0]


@wrong(
    "unmasked",
    "the mask is not used",
    says=(
        "You delete padding, too: if its score is high, it counts as a word. Rank only the words."
    ),
    loses=["short", "nothing"],
)
def confidence_left(x, mask, v, W, b, k):
    r = x @ v
    everything = torch.ones_like(mask)

    def p(kept):
        a = r.masked_fill(~kept, -1e30).softmax(-1) * kept
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    kept = everything.scatter(1, r.argsort(descending=True)[:, :k], False)
    return p(kept).gather(1, p(everything).argmax(-1, keepdim=True))[:, 0]


@wrong(
    "words-zeroed",
    "the vectors of deleted words become zeros",
    says=(
        "You set the deleted words' vectors to zero, but they still get weight: their "
        "score becomes 0, and exp(0) = 1. Leave them out of the softmax."
    ),
    spares=["nothing"],
)
def confidence_left(x, mask, v, W, b, k):
    def p(x):
        a = (x @ v).masked_fill(~mask, -math.inf).softmax(-1)
        return ((a[..., None] * x).sum(1) @ W + b).softmax(-1)

    rank = (x @ v).masked_fill(~mask, -math.inf).argsort(descending=True)
    gone = torch.zeros_like(mask).scatter(1, rank[:, :k], True)
    after = p(x.masked_fill(gone[..., None], 0.0))
    return after.gather(1, p(x).argmax(-1, keepdim=True))[:, 0]


broken("argmax(dim=-1, keepdim=True)", "argmin(dim=-1, keepdim=True)")
broken("ranked[:, :k]", "ranked[:, : max(k, 1)]")
broken("(o @ W + b).softmax(dim=-1)", "(o @ W).softmax(dim=-1)")
broken("r.masked_fill(~mask, -math.inf)", "r.abs().masked_fill(~mask, -math.inf)")
