@right("flattened", "all sentences as one batch, then the documents; the vector by the shares")
def pool_levels(x, words, v, u):
    def weigh(scores, mask):
        some = mask.any(-1, keepdim=True)
        return scores.masked_fill(~mask & some, -math.inf).softmax(-1) * (mask & some)

    B, N, S, D = x.shape
    a = weigh(x.reshape(B * N, S, D) @ v, words.reshape(B * N, S))
    s = torch.bmm(a[:, None], x.reshape(B * N, S, D)).view(B, N, D)
    beta = weigh(s @ u, words.any(-1))
    share = beta.unsqueeze(-1) * a.view(B, N, S)
    return torch.einsum("bns,bnsd->bd", share, x), share


@right("loop", "document by document, sentence by sentence")
def pool_levels(x, words, v, u):
    B, N, S, D = x.shape
    documents, shares = [], []
    for b in range(B):
        share = x.new_zeros(N, S) + 0 * (x[b] @ v).masked_fill(~words[b], 0.0)
        real = [n for n in range(N) if words[b, n].any()]
        if real:
            weights = [(x[b, n][words[b, n]] @ v).softmax(0) for n in real]
            s = torch.stack([a @ x[b, n][words[b, n]] for n, a in zip(real, weights, strict=True)])
            beta = (s @ u).softmax(0)
            share = share.masked_scatter(
                words[b], torch.cat([t * a for t, a in zip(beta, weights, strict=True)])
            )
        shares.append(share)
        documents.append(torch.einsum("ns,nsd->d", share, x[b]))
    return torch.stack(documents), torch.stack(shares)


@right("plain", "the steps that the wrong answers below change", edited=True)
def pool_levels(x, words, v, u):
    real = words.any(-1)
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).masked_fill(~real, -1e30).softmax(-1) * real
    return (beta[..., None] * s).sum(1), beta[..., None] * a


@wrong(
    "added",
    "adds the sentences without weights",
    says="You add up the sentences without weights. Take a softmax over the sentences, too.",
)
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    return s.sum(1), a


@wrong(
    "empty-sentences-count",
    "sentences without words take part with the score 0",
    says=(
        "Sentences without words get weight: their vector is zeros, so their score is 0, "
        "and exp(0) = 1 is not a small weight. Mask them before the softmax over the "
        "sentences."
    ),
)
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).softmax(-1)
    return (beta[..., None] * s).sum(1), beta[..., None] * a


wrong(
    "first-over-sentences",
    "the first softmax runs over the sentences",
    says=(
        "Your first weights sum to 1 over the sentences, not over the words of each sentence: "
        "which dimension does your first softmax run over?"
    ),
    edit=(
        "a = (x @ v).masked_fill(~words, -1e30).softmax(-1)",
        "a = (x @ v).masked_fill(~words, -1e30).softmax(1)",
    ),
)


@wrong(
    "flat",
    "one softmax over all words of the document",
    says=(
        "Your softmax runs over all words of the document at once, which is one flat "
        "level. Take a softmax over the words of each sentence, then one over the "
        "sentences."
    ),
)
def pool_levels(x, words, v, u):
    r = (x @ v).masked_fill(~words, -1e30)
    share = r.flatten(1).softmax(-1).view_as(r) * words
    return (share[..., None] * x).sum((1, 2)), share


@wrong(
    "mean-of-sentences",
    "the mean of the sentences",
    says="Your sentences all get the same weight: u is not used.",
)
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    real = words.any(-1)
    beta = (real / real.sum(1, keepdim=True).clamp(min=1)).to(x.dtype)
    return (beta[..., None] * s).sum(1), beta[..., None] * a


@wrong(
    "mean-with-empty",
    "the mean of the sentences, empty ones counted",
    says="Your sentences all get the same weight, and those without words are counted.",
)
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words
    s = (a[..., None] * x).sum(2)
    return s.mean(1), a / words.shape[1]


@wrong(
    "nan-gradient", "NaN replaced afterwards", match="backward pass 0 · NaN", loses=["gradients"]
)
def pool_levels(x, words, v, u):
    hide = torch.zeros_like(x[..., 0]).masked_fill(~words, -math.inf)
    a = (x @ v + hide).softmax(-1).nan_to_num()
    s = (a[..., None] * x).sum(2)
    beta = (s @ u + hide.amax(-1)).softmax(-1).nan_to_num()
    return (beta[..., None] * s).sum(1), beta[..., None] * a


@wrong("nan", "-inf at both levels", match="0/0")
def pool_levels(x, words, v, u):
    a = (x @ v).masked_fill(~words, -math.inf).softmax(-1)
    s = (a[..., None] * x).sum(2)
    beta = (s @ u).masked_fill(~words.any(-1), -math.inf).softmax(-1)
    return (beta[..., None] * s).sum(1), beta[..., None] * a


wrong(
    "not-low-enough",
    "-100 for a sentence without words",
    says=(
        "Sentences without words get weight: their vector is zeros, so their score is 0, "
        "and exp(0) = 1 is not a small weight. Mask them before the softmax over the "
        "sentences."
    ),
    loses=["empty"],
    edit=("real, -1e30", "real, -100.0"),
)

wrong(
    "over-documents",
    "the second softmax runs over the documents",
    says=(
        "Your sentences' weights sum to 1 over the documents of the batch. The second "
        "softmax runs over the sentences of each document."
    ),
    edit=(
        "beta = (s @ u).masked_fill(~real, -1e30).softmax(-1)",
        "beta = (s @ u).masked_fill(~real, -1e30).softmax(0)",
    ),
)

wrong(
    "padding-among-words",
    "only sentences are masked",
    says="Padding gets weight among the words. Mask it before the softmax over the words.",
    edit=("a = (x @ v).masked_fill(~words, -1e30).softmax(-1) * words", "a = (x @ v).softmax(-1)"),
)

wrong(
    "same-query",
    "v meets the sentences too",
    says="You use the words' query v for the sentences, too. They have their own query, u.",
    edit=("s @ u", "s @ v"),
)

wrong(
    "same-query-u",
    says="You use the sentences' query u for the words, too. They have their own query, v.",
    edit=("x @ v", "x @ u"),
)


wrong(
    "share-in-sentence",
    "the words' weights as shares",
    says=(
        "The shares that you return are the words' weights in their own sentences. "
        "Multiply them by the weight of the sentence."
    ),
    spares=["values"],
    edit=("beta[..., None] * a", "a"),
)

wrong(
    "share-of-sentence",
    "the sentences' weights as shares",
    says=(
        "The shares that you return are the sentences' weights. Multiply each word's "
        "weight by that of its sentence."
    ),
    spares=["values"],
    edit=("[..., None] * a", "[..., None] * words"),
)

wrong(
    "swapped",
    "the queries swapped",
    says="The queries are swapped: v is for the words, u for the sentences.",
    edit=[("x @ v", "x @ u"), ("s @ u", "s @ v")],
)

wrong(
    "view",
    says=(
        "Your view mixes sentences of different documents. The sum over the words leaves "
        "(B, N, D), in the right order: do not reshape it."
    ),
    edit=[
        ("real = words.any(-1)", "B, N, S, D = x.shape\n    real = words.any(-1)"),
        (
            "s = (a[..., None] * x).sum(2)",
            "s = (a[..., None] * x).sum(2).view(N, B, D).transpose(0, 1)",
        ),
    ],
)

broken("torch.where(words, x @ v, lowest)", "torch.where(words, x @ v, 0.0)")
broken("s = (a[..., None] * x).sum(dim=2)", "s = (a[..., None] * x).mean(dim=2)")
broken("real = words.any(dim=-1)", "real = words[..., 0] & words[..., -1]")
broken("t = torch.where(real, s @ u, lowest)", "t = torch.where(real, x.mean(dim=2) @ u, lowest)")
