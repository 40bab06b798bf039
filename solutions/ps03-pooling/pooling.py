@right("empty-apart", "-inf for padding; empty documents see everything, then nothing")
def attention_pool(x, mask, v):
    some = mask.any(1, keepdim=True)
    r = (x @ v).masked_fill(~mask & some, -math.inf)
    a = r.softmax(-1) * some
    return torch.bmm(a[:, None, :], x).squeeze(1), a


@right("exponentials", "exponentials times the mask, and a safe division")
def attention_pool(x, mask, v):
    r = torch.einsum("bsd,d->bs", x, v)
    low = torch.finfo(r.dtype).min
    most = r.masked_fill(~mask, low).amax(1, keepdim=True).detach()
    e = torch.exp((r - most).masked_fill(~mask, 0.0)) * mask
    total = e.sum(1, keepdim=True)
    a = e / torch.where(total > 0, total, 1.0)
    return torch.einsum("bs,bsd->bd", a, x), a


@right("loop", "one document after the other, its words alone")
def attention_pool(x, mask, v):
    vectors, weights = [], []
    for words, real in zip(x, mask, strict=True):
        a = (words * v).sum(1) * 0
        if real.any():
            a = a.masked_scatter(real, (words[real] @ v).softmax(0))
        weights.append(a)
        vectors.append(a @ words)
    return torch.stack(vectors), torch.stack(weights)


@right("nan-to-num", "NaN overwritten; masked_fill lets no gradient through to the padding")
def attention_pool(x, mask, v):
    a = (x @ v).masked_fill(~mask, -math.inf).softmax(-1)
    a = torch.nan_to_num(a)
    return (a[..., None] * x).sum(1), a


@wrong(
    "added",
    "the mask is added as 0 and 1",
    says=(
        "The mask is added as 0 and 1: that raises the words' scores by 1 and hides "
        "nothing. A hidden score must become -∞, so that exp(score) is 0."
    ),
)
def attention_pool(x, mask, v):
    a = (x @ v + mask).softmax(-1)
    return (a[..., None] * x).sum(1), a


@wrong(
    "after-softmax",
    "the mask comes after the softmax",
    says=(
        "The mask comes after the softmax, so the weights that are left no longer sum to "
        "1. Mask the padding's scores before the softmax."
    ),
)
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1) * mask
    return (a[..., None] * x).sum(1), a


@wrong(
    "best-word",
    "takes the best word alone",
    says="You keep only the word with the largest weight. The others have their share, too.",
)
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = torch.zeros_like(r).scatter(1, r.argmax(1, keepdim=True), 1.0) * mask
    return (a[..., None] * x).sum(1), a


@wrong(
    "detached",
    "the weights are numbers to the gradient",
    match="no gradient reaches v",
    loses=["gradients"],
)
def attention_pool(x, mask, v):
    with torch.no_grad():
        r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
        a = r.softmax(-1) * mask
    return (a[..., None] * x).sum(1), a


@wrong(
    "divided-again",
    "divides the weighted sum by the number of words",
    says=(
        "You divide the weighted sum by the number of words as well: the weights already sum to 1."
    ),
)
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = r.softmax(-1) * mask
    n = mask.sum(1, keepdim=True).clamp(min=1)
    return (a[..., None] * x).sum(1) / n, a


@wrong(
    "in-place",
    "hides the padding in the caller's words",
    match="changes its input x",
    loses=["inputs"],
)
def attention_pool(x, mask, v):
    x[~mask] = 0.0
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = r.softmax(-1) * mask
    return (a[..., None] * x).sum(1), a


@wrong(
    "inverted",
    "hides the words",
    says="The mask is the wrong way round: True = there is a word here, and you hide those.",
)
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(mask, torch.finfo(x.dtype).min)
    a = r.softmax(-1) * ~mask
    return (a[..., None] * x).sum(1), a


@wrong(
    "mean",
    "the plain mean of the words",
    says="Your code gives all words the same weight and does not use the query.",
)
def attention_pool(x, mask, v):
    a = mask / mask.sum(1, keepdim=True).clamp(min=1)
    a = a.to(x.dtype)
    return (a[..., None] * x).sum(1), a


@wrong(
    "minus-a-billion",
    "-1e9 for padding, and nothing more",
    says=(
        "A document without words spreads its weight over padding. Its weights, and so its "
        "vector, must be zeros."
    ),
    loses=["padding", "empty", "gradients"],
)
def attention_pool(x, mask, v):
    a = (x @ v).masked_fill(~mask, -1e9).softmax(-1)
    return (a[..., None] * x).sum(1), a


@wrong(
    "multiplied",
    "the mask multiplies the scores",
    says=(
        "The mask multiplies the scores: those of the padding become 0, and exp(0) = 1 is "
        "not a small weight. They must become -∞."
    ),
)
def attention_pool(x, mask, v):
    a = ((x @ v) * mask).softmax(-1)
    return (a[..., None] * x).sum(1), a


@wrong(
    "nan-gradient",
    "-inf is added and NaN replaced in the weights; it stays in the gradient",
    match="0 · NaN is NaN",
    loses=["gradients"],
)
def attention_pool(x, mask, v):
    hide = torch.zeros_like(x[..., 0]).masked_fill(~mask, -math.inf)
    a = torch.nan_to_num((x @ v + hide).softmax(-1))
    return (a[..., None] * x).sum(1), a


@wrong(
    "nan-on-empty",
    says=(
        "A document without words gives 0/0, in a softmax over only -∞. Use a very low finite "
        "number and set the weights of padding to 0 afterwards, or treat documents without words "
        "separately."
    ),
    loses=["empty", "gradients"],
)
def attention_pool(x, mask, v):
    a = (x @ v).masked_fill(~mask, -math.inf).softmax(-1)
    return (a[..., None] * x).sum(1), a


@wrong(
    "not-low-enough",
    "subtracts 10,000 from the padding",
    match="lower than any score",
    loses=["padding"],
)
def attention_pool(x, mask, v):
    a = (x @ v - 1e4 * ~mask).softmax(-1) * mask.any(1, keepdim=True)
    return (a[..., None] * x).sum(1), a


@wrong(
    "over-all",
    "one softmax for the whole batch",
    says="Your weights sum to 1 over the whole batch. Each document has its own softmax.",
)
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = r.flatten().softmax(0).view_as(r) * mask
    return (a[..., None] * x).sum(1), a


@wrong(
    "over-batch",
    "the softmax runs over the documents",
    says=(
        "Your weights sum to 1 over the documents of the batch, not over the words of each: "
        "which dimension does your softmax run over?"
    ),
)
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = r.softmax(0) * mask
    return (a[..., None] * x).sum(1), a


@wrong("ready-made", "the course's own", match="does the whole of this exercise")
def attention_pool(x, mask, v):
    from tfcourse.attention import average_by_scores

    o, a = average_by_scores((x @ v)[:, None], x, mask[:, None])
    return o[:, 0], a[:, 0]


@wrong(
    "renormalised-with-a-bit",
    "divides by what is left plus a small number",
    says=(
        "Padding with a far larger score takes all the weight. If you set its weight to 0 "
        "afterwards, nothing is left to share out. Take the padding out before the softmax."
    ),
    loses=["padding"],
)
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1) * mask
    a = a / (a.sum(1, keepdim=True) + 1e-12)
    return (a[..., None] * x).sum(1), a


@wrong(
    "renormalised",
    "masks after the softmax and divides by what is left",
    says=(
        "Padding with a far larger score takes all the weight. If you set its weight to 0 "
        "afterwards, nothing is left to share out. Take the padding out before the softmax."
    ),
    loses=["padding", "empty", "gradients"],
)
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1) * mask
    a = a / a.sum(1, keepdim=True)
    return (a[..., None] * x).sum(1), a


@wrong(
    "scores-returned",
    says="You return the scores, before the softmax, as the weights.",
    spares=["gradients", "inputs"],
)
def attention_pool(x, mask, v):
    r = x @ v
    a = r.masked_fill(~mask, torch.finfo(x.dtype).min).softmax(-1) * mask
    return (a[..., None] * x).sum(1), r


@wrong("scores", "forgets the softmax", says="The softmax is missing: your weights are the scores.")
def attention_pool(x, mask, v):
    a = (x @ v) * mask
    return (a[..., None] * x).sum(1), a


@wrong(
    "unmasked",
    "the mask is not used",
    says=(
        "The mask has no effect: padding gets weight as if it were a word. Mask its scores "
        "before the softmax."
    ),
)
def attention_pool(x, mask, v):
    a = (x @ v).softmax(-1)
    return (a[..., None] * x).sum(1), a


@wrong(
    "weights-unused",
    says=(
        "The weights are not applied: your vector is the mean over all positions, including "
        "padding."
    ),
)
def attention_pool(x, mask, v):
    r = (x @ v).masked_fill(~mask, torch.finfo(x.dtype).min)
    a = r.softmax(-1) * mask
    return x.mean(1), a


@wrong(
    "words-blanked",
    "sets the padding's vectors to zero, which leaves them the score 0",
    says=(
        "You set the padding's vectors to zero, but it still gets weight: its scores become 0, "
        "and exp(0) = 1. Mask its scores before the softmax."
    ),
)
def attention_pool(x, mask, v):
    x = x * mask[..., None]
    a = (x @ v).softmax(-1)
    return (a[..., None] * x).sum(1), a


broken("scores = x @ v", "scores = x @ v.abs()")
broken("lowest = torch.finfo(scores.dtype).min", "lowest = scores.min()")
broken("scores.softmax(dim=-1), 0.0)", "scores.softmax(dim=-1), 1e-3)")
broken("(weights[:, :, None] * x).sum(dim=1)", "(weights[:, :, None] * x).amax(dim=1)")
