@right("empty-rows-apart", "-inf, with the empty rows opened before and closed after the softmax")
def masked_attention(Q, K, V, mask):
    some = mask.any(dim=-1, keepdim=True)
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(~(mask | ~some), float("-inf"))
    weights = torch.where(some, scores.softmax(dim=-1), torch.zeros_like(scores))
    return weights @ V, weights


@right("lowest", "masked_fill with a finite lowest number, weights multiplied by the mask")
def masked_attention(Q, K, V, mask):
    scores = torch.einsum("...td,...sd->...ts", Q, K) / Q.size(-1) ** 0.5
    scores = scores.masked_fill(mask.logical_not(), torch.finfo(Q.dtype).min)
    weights = scores.softmax(-1) * mask
    return weights @ V, weights


@right("nan-mended", "-inf, and the NaN rows filled in afterwards")
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    weights = weights.masked_fill(~mask, 0.0)
    return weights @ V, weights


@right("written-out", "exp, mask, divide by what is left")
def masked_attention(Q, K, V, mask):
    scores = (Q @ K.transpose(-2, -1)) * Q.shape[-1] ** -0.5
    scores = torch.where(mask, scores, torch.zeros_like(scores))
    largest = torch.where(mask, scores, -1e30).amax(-1, keepdim=True).detach()
    exps = torch.exp(torch.where(mask, scores - largest, -1e4)) * mask
    total = exps.sum(dim=-1, keepdim=True)
    weights = exps / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ V, weights


@wrong(
    "added",
    "the mask is added as 0 and 1",
    says=(
        "The mask is added as 0 and 1: that raises the allowed scores by 1 and hides "
        "nothing. A hidden score must become -∞, so that exp(score) is 0."
    ),
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = (scores + mask).softmax(dim=-1)
    return weights @ V, weights


@wrong(
    "after-softmax",
    "the mask comes after the softmax",
    says=(
        "The mask comes after the softmax, so the weights that are left no longer sum to "
        "1. Hide the scores before the softmax: then the remaining weights sum to 1."
    ),
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights


@wrong(
    "after-softmax-divided-again",
    "the mask comes after the softmax, and what is left is divided by its sum",
    says=(
        "You mask the weights after the softmax and divide by their sum: if that is 0, 0/0 is NaN. "
        "It is 0 for a query that may attend to nothing, and also if a hidden score is so large "
        "that the other weights are rounded to 0. Mask the scores, before the softmax."
    ),
    loses=["ignored", "empty", "gradients"],
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1) * mask
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ V, weights


@wrong(
    "all-scores",
    says="Your weights sum to 1 over all scores together. Each query needs its own softmax.",
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    exps = scores.exp() * mask
    weights = exps / exps.sum()
    return weights @ V, weights


wrong(
    "by-d",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    edit=("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
)

wrong(
    "by-length",
    says="Your scores are divided by the root of the number of keys. d_k is the width of a key.",
    edit=("Q.shape[-1]", "K.shape[-2]"),
)


@wrong(
    "even-on-empty",
    "an empty row spreads its weight evenly",
    says=(
        "A query that may attend to nothing spreads its weight evenly over keys that it "
        "may not see. Its weights, and so its output, must be zeros."
    ),
    loses=["empty", "gradients"],
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights


@wrong(
    "inverted",
    "hides what may be attended to",
    says="The mask is the wrong way round: True = may be attended to, and you hide those.",
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(mask, 0.0)
    return weights @ V, weights


@wrong(
    "mask-turned-in-place",
    "turns the caller's mask round in place",
    match="changes its input mask",
    loses=["inputs"],
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    hidden = mask.logical_not_()
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(hidden, lowest).softmax(dim=-1)
    weights = weights.masked_fill(hidden, 0.0)
    return weights @ V, weights


@wrong(
    "multiplied",
    "the scores are multiplied by the mask",
    says=(
        "Hidden scores become 0, or nearly 0, and exp(0) = 1 is not a small weight: they must "
        "become -∞. Do you multiply the scores by the mask, or fill in -1e-9 for -1e9?"
    ),
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = (scores * mask).softmax(dim=-1)
    return weights @ V, weights


wrong(
    "multiplied-by-root",
    says="Your scores are multiplied by √d_k: divide by it instead.",
    edit=("/ math.sqrt", "* math.sqrt"),
)


@wrong(
    "nan-gradient",
    "NaN is mended in the output, and lives on in the gradient",
    match="0 · NaN is NaN",
    loses=["gradients"],
)
def masked_attention(Q, K, V, mask):
    hide = torch.zeros(mask.shape, dtype=Q.dtype).masked_fill(~mask, -math.inf)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]) + hide
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    return weights @ V, weights


@wrong(
    "nan-on-empty",
    "a row of -inf gives NaN",
    says=(
        "A query that may attend to nothing has a row of -∞, which has no softmax: every exp is 0 "
        "and so is their sum, and 0/0 is NaN. Treat such queries separately, or use a finite "
        "lowest number and set hidden weights to 0 afterwards."
    ),
    loses=["empty", "gradients"],
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ V, weights


@wrong(
    "no-normalising",
    says="Your weights are exp(score), not divided by their sum over the keys.",
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.exp() * mask
    return weights @ V, weights


@wrong(
    "not-low-enough",
    "takes 100 away, which a large score outweighs",
    says=(
        "A hidden key still gets weight when its score is large: what you add to it or put "
        "in its place must outweigh any score, as -∞ does."
    ),
    loses=["ignored", "empty", "gradients"],
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = (scores - 100.0 * ~mask).softmax(dim=-1)
    return weights @ V, weights


@wrong(
    "one-mask-for-all",
    "takes the first sequence's mask for the whole batch",
    says="You apply the first sequence's mask to the whole batch. Each sequence has its own.",
)
def masked_attention(Q, K, V, mask):
    while mask.ndim > 2:
        mask = mask[0]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights


@wrong(
    "over-queries",
    "the softmax runs over the queries",
    says=(
        "Your weights sum to 1 over the queries, not over the keys: which dimension does "
        "your softmax run over?"
    ),
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-2).masked_fill(~mask, 0.0)
    return weights @ V, weights


wrong(
    "scaled-after",
    says=(
        "You divide by √d_k after the softmax: the weights of a query no longer sum to 1. "
        "Scale the scores, then take the softmax."
    ),
    edit=[
        (" / math.sqrt(Q.shape[-1])", ""),
        ("scores.softmax(dim=-1)", "scores.softmax(dim=-1) / math.sqrt(Q.shape[-1])"),
    ],
)


@wrong(
    "scores-returned",
    says="You return the scores, before the softmax, as the weights.",
    spares=["gradients", "inputs"],
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = hidden.softmax(dim=-1) * mask
    return weights @ V, scores


wrong(
    "sums-keys",
    says="Your weights average the keys. They should average the values.",
    edit=("weights @ V", "weights @ K"),
)


@wrong(
    "tiny",
    "-1e-9 for -1e9",
    says=(
        "Hidden scores become 0, or nearly 0, and exp(0) = 1 is not a small weight: they must "
        "become -∞. Do you multiply the scores by the mask, or fill in -1e-9 for -1e9?"
    ),
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -1e-9).softmax(dim=-1)
    return weights @ V, weights


@wrong("unscaled", "not scaled", says="Your scores are not scaled: divide them by √d_k.")
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights


@wrong(
    "unused",
    "the mask is not used",
    says=(
        "The mask has no effect: hidden keys get the weight that they would get without it. "
        "Mask their scores before the softmax."
    ),
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    return weights @ V, weights


@wrong(
    "values-blanked",
    "blanks the values instead of masking the scores",
    says=(
        "You set the values of hidden keys to zero, but the keys still take their share of "
        "the weight. Mask the scores, before the softmax."
    ),
)
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    seen = mask.any(dim=-2).unsqueeze(-1)
    return weights @ (V * seen), weights


broken("math.sqrt(Q.shape[-1])", "math.sqrt(V.shape[-1])")
broken("lowest = torch.finfo(scores.dtype).min", "lowest = scores.min()")
broken("scores.softmax(dim=-1), 0.0", "scores.softmax(dim=-1), 1e-3")
