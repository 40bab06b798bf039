@right("loop", "one query after the other")
def pool_by_queries(x, mask, W, b, v):
    met = (torch.einsum("bsd,dh->bsh", x, W) + b).tanh()
    vectors, weights = [], []
    for query in v:
        r = (met * query).sum(-1)
        a = r.masked_fill(~mask, torch.finfo(r.dtype).min).softmax(-1)
        weights.append(a)
        vectors.append((a[..., None] * x).sum(1))
    return torch.stack(vectors, 1), torch.stack(weights, 1)


@right("turned", "scores (B, S, Q), a softmax over axis 1, turned at the end")
def pool_by_queries(x, mask, W, b, v):
    r = torch.tanh(x @ W + b) @ v.T
    r = r + torch.zeros_like(r).masked_fill(~mask.unsqueeze(-1), -math.inf)
    a = r.softmax(1).transpose(1, 2)
    return torch.bmm(a, x), a


@right("plain", "the steps that the wrong answers below change", edited=True)
def pool_by_queries(x, mask, W, b, v):
    r = v @ torch.tanh(x @ W + b).mT
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ x, a


wrong(
    "added",
    says=(
        "The mask is added as 0 and 1: that raises the words' scores by 1 and hides "
        "nothing. A hidden score must become -∞, so that exp(score) is 0."
    ),
    loses=["padding", "gradients"],
    edit=(
        "r.masked_fill(~mask[:, None], -math.inf).softmax(-1)",
        "(r + mask[:, None]).softmax(-1)",
    ),
)


wrong(
    "after-softmax",
    says=(
        "The mask comes after the softmax, so the weights that are left no longer sum to "
        "1. Mask the padding's scores before the softmax."
    ),
    loses=["padding", "gradients"],
    edit=("r.masked_fill(~mask[:, None], -math.inf).softmax(-1)", "r.softmax(-1) * mask[:, None]"),
)


wrong(
    "averaged",
    says="You average the vectors of the queries. Return one for each query: (B, Q, D).",
    edit=("a @ x", "(a @ x).mean(1)"),
)

wrong(
    "bias-outside",
    "the bias after the tanh",
    says=(
        "The bias b has no effect on your weights: it is left out, or it comes after the tanh, "
        "where it raises all scores of a query alike. Add it inside the tanh."
    ),
    edit=("torch.tanh(x @ W + b).mT", "(torch.tanh(x @ W) + b).mT"),
)

wrong(
    "inverted",
    says="The mask is the wrong way round: True = there is a word here, and you hide those.",
    edit=("~mask[:, None], -math.inf", "mask[:, None], -1e9"),
)


wrong(
    "mask-not-spread",
    "masks (B, Q, S) by (B, S) and hopes",
    says=(
        "The mask of document k hides words from query k of every document: (B, S) was "
        "read as (queries, S). Give it an axis for the queries, mask[:, None, :]."
    ),
    edit=("mask[:, None]", "mask"),
)


@wrong(
    "mask-on-queries",
    "(B, S) taken for (queries, S)",
    says=(
        "The mask of document k hides words from query k of every document: (B, S) was "
        "read as (queries, S). Give it an axis for the queries, mask[:, None, :]."
    ),
    loses=["padding"],
)
def pool_by_queries(x, mask, W, b, v):
    r = v @ torch.tanh(x @ W + b).mT
    if r.shape[1] == r.shape[0]:
        a = r.masked_fill(~mask, -1e30).softmax(-1)
    else:
        a = r.masked_fill(~mask[:, None], -1e30).softmax(-1)
    return a @ x, a


wrong(
    "multiplied",
    says=(
        "The mask multiplies the scores: those of the padding become 0, and exp(0) = 1 is "
        "not a small weight. They must become -∞."
    ),
    loses=["padding", "gradients"],
    edit=(
        "r.masked_fill(~mask[:, None], -math.inf).softmax(-1)",
        "(r * mask[:, None]).softmax(-1)",
    ),
)


wrong(
    "no-bias",
    "the bias is left out",
    says=(
        "The bias b has no effect on your weights: it is left out, or it comes after the tanh, "
        "where it raises all scores of a query alike. Add it inside the tanh."
    ),
    edit=("W + b", "W"),
)

wrong(
    "no-tanh",
    "a linear map alone",
    says="The tanh is missing from your scores. It comes between the linear map and the query.",
    edit=("torch.tanh(x @ W + b).mT", "(x @ W + b).mT"),
)


@wrong(
    "not-turned",
    says="Your weights are (B, S, Q). Swap the last two axes: a row belongs to a query.",
    spares=["gradients"],
)
def pool_by_queries(x, mask, W, b, v):
    r = torch.tanh(x @ W + b) @ v.T
    a = r.masked_fill(~mask[..., None], -math.inf).softmax(1)
    return a.mT @ x, a


@wrong(
    "one-query",
    "one mean query",
    says="Your code gives all queries the same weights. Each query has its own scores.",
)
def pool_by_queries(x, mask, W, b, v):
    r = torch.tanh(x @ W + b) @ v.mean(0)
    r = r[:, None].expand(len(x), len(v), x.shape[1])
    a = r.masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ x, a


wrong(
    "over-batch",
    "the softmax runs over the documents",
    says=(
        "Your weights sum to 1 over the documents of the batch, not over the words: which "
        "dimension does your softmax run over?"
    ),
    edit=(
        "r.masked_fill(~mask[:, None], -math.inf).softmax(-1)",
        "r.masked_fill(~mask[:, None], -1e30).softmax(0) * mask[:, None]",
    ),
)

wrong(
    "over-queries",
    "the softmax runs over the queries",
    says=(
        "Your weights sum to 1 over the queries, not over the words: which dimension does your "
        "softmax run over?"
    ),
    edit=(
        "r.masked_fill(~mask[:, None], -math.inf).softmax(-1)",
        "r.masked_fill(~mask[:, None], -1e30).softmax(1) * mask[:, None]",
    ),
)

wrong(
    "relu",
    "another nonlinearity",
    says="You use a ReLU. The words go through a tanh.",
    edit=("torch.tanh(x @ W + b).mT", "(x @ W + b).relu().mT"),
)

wrong(
    "reshaped",
    "view instead of a transpose",
    says=(
        "Your reshape mixes words with queries: it keeps the order of the numbers. To swap two "
        "axes, transpose them."
    ),
    edit=(
        "r = v @ torch.tanh(x @ W + b).mT",
        "r = torch.tanh(x @ W + b) @ v.T\n    r = r.reshape(len(x), len(v), x.shape[1])",
    ),
)

wrong(
    "side-by-side",
    says=(
        "You put the vectors of the queries side by side. Keep the axis of the queries: (B, Q, D)."
    ),
    edit=("a @ x", "(a @ x).flatten(1)"),
)

wrong(
    "squeezed",
    says="You drop axes of length 1. The axes stay, whatever their length: leave out squeeze().",
    edit=("a @ x, a", "(a @ x).squeeze(), a.squeeze()"),
)


@wrong(
    "transformed-summed",
    "sums the transformed words",
    says=(
        "Your weights average the transformed words tanh(x W + b). These only decide the "
        "scores: average the words themselves."
    ),
)
def pool_by_queries(x, mask, W, b, v):
    met = torch.tanh(x @ W + b)
    a = (v @ met.mT).masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return a @ met, a


wrong(
    "transposed",
    says="You transpose W. Words are rows, so it is x W.",
    edit=("x @ W", "x @ W.T"),
)


@wrong(
    "unmasked",
    "the mask is not used",
    says=(
        "The mask has no effect: padding gets weight as if it were a word. Mask its scores "
        "before the softmax."
    ),
    loses=["padding", "gradients"],
)
def pool_by_queries(x, mask, W, b, v):
    a = (v @ torch.tanh(x @ W + b).mT).softmax(-1)
    return a @ x, a


broken("met = torch.tanh(x @ W + b)", "met = torch.sin(x @ W + b)")
broken("scores = v @ met.mT", "scores = v.flip(0) @ met.mT")
broken("masked_fill(~mask[:, None, :], -math.inf)", "masked_fill(~mask[:1, None, :], -math.inf)")
broken("return weights @ x, weights", "return weights @ x, weights.flip(-1)")
