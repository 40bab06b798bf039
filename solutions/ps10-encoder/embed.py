@right("embedding", "PyTorch's look-up, the norm written out")
def embed(ids, segments, E, P, S, gain, bias, eps):
    B, T = ids.shape
    N, D = P.shape
    if T > N:
        raise ValueError(f"T must be at most {N}, got {T}")
    places = torch.arange(T).repeat(B, 1)
    x = F.embedding(ids, E) + F.embedding(segments, S) + F.embedding(places, P)
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + bias


@right("one-table", "the three tables as one, and one look-up whose rows are added")
def embed(ids, segments, E, P, S, gain, bias, eps):
    T = ids.size(1)
    if T > P.size(0):
        raise ValueError("T = {} tokens, but there are {} positions".format(T, P.size(0)))
    table = torch.cat((E, P, S))
    rows = torch.stack(
        (
            ids,
            len(E) + torch.arange(T).expand_as(ids),
            len(E) + len(P) + segments,
        )
    )
    x = table[rows].sum(dim=0)
    return F.layer_norm(x, gain.shape, weight=gain, bias=bias, eps=eps)


wrong(
    "by-ids",
    says="You look up rows of P by the words' ids. Look them up by position.",
    edit=("P[:T]", "P[ids]"),
)

wrong(
    "default-eps",
    says="Your ε is 1e-5, the default of layer_norm. Use the ε that is given.",
    edit=("[-1:], gain, bias, eps)", "[-1:], gain, bias)"),
)

wrong(
    "eps-outside",
    says="ε is outside the root. Add it to the variance, √(σ² + ε), not to σ.",
    edit=(
        "return F.layer_norm(x, x.shape[-1:], gain, bias, eps)",
        "x = x - x.mean(dim=-1, keepdim=True)\n"
        "    deviation = x.square().mean(dim=-1, keepdim=True).sqrt()\n"
        "    return x / (deviation + eps) * gain + bias",
    ),
)


@wrong(
    "last-place",
    "tokens beyond the table get the last position",
    match="have no row in P",
    loses=["too-long"],
)
def embed(ids, segments, E, P, S, gain, bias, eps):
    places = torch.arange(ids.shape[1]).clamp(max=len(P) - 1)
    x = E[ids] + P[places] + S[segments]
    return F.layer_norm(x, gain.shape, gain, bias, eps)


wrong(
    "no-bias",
    says="The bias is missing.",
    edit=("[-1:], gain, bias, eps)", "[-1:], gain, eps=eps)"),
)

wrong(
    "no-gain",
    says="Gain and bias are missing.",
    edit=("[-1:], gain, bias, eps)", "[-1:], eps=eps)"),
)

wrong(
    "no-norm",
    says="The norm is missing: normalise the sum of the three.",
    edit=("F.layer_norm(x, x.shape[-1:], gain, bias, eps)", "x"),
)

wrong(
    "no-positions",
    says="The positions are missing: add a row of P for each token.",
    edit=(" + P[:T]", ""),
)


@wrong(
    "no-segments",
    "the segments are forgotten",
    says="The segments are missing: add a row of S for each token.",
)
def embed(ids, segments, E, P, S, gain, bias, eps):
    B, T = ids.shape
    if T > len(P):
        raise ValueError(f"T must be at most {len(P)}, got {T}")
    return F.layer_norm(E[ids] + P[:T], gain.shape, gain, bias, eps)


wrong(
    "norm-of-words",
    says="You normalise the words before you add positions and segments. Add first.",
    edit=(
        "x = E[ids] + P[:T] + S[segments]\n"
        "    return F.layer_norm(x, x.shape[-1:], gain, bias, eps)",
        "x = E[ids]\n"
        "    x = F.layer_norm(x, x.shape[-1:], gain, bias, eps)\n"
        "    return x + P[:T] + S[segments]",
    ),
)

wrong(
    "norm-over-text",
    "one mean and one variance for all tokens of a text",
    says=(
        "You take one mean and one variance for a whole text. Each token has its own, over "
        "its D numbers."
    ),
    edit=[
        ('f"ids have {T} positions, P has {N}"', 'f"{T} tokens, and only {N} positions"'),
        (
            "F.layer_norm(x, x.shape[-1:], gain, bias, eps)",
            "F.layer_norm(x, x.shape[1:], eps=eps) * gain + bias",
        ),
    ],
)


@wrong(
    "places-anew",
    "the positions of the second text begin at 0 again",
    says=(
        "Your positions start again with the second text. Count them from [CLS] to the end of "
        "the input."
    ),
)
def embed(ids, segments, E, P, S, gain, bias, eps):
    B, T = ids.shape
    if T > len(P):
        raise ValueError(f"T must be at most {len(P)}, got {T}")
    of_first = (segments == 0).sum(dim=1, keepdim=True)
    places = torch.arange(T) - of_first * segments
    return F.layer_norm(E[ids] + P[places] + S[segments], gain.shape, gain, bias, eps)


wrong(
    "places-from-one",
    says="Your positions start at 1. [CLS] is at position 0.",
    edit=("P[:T]", "P[1 : T + 1]"),
)


@wrong(
    "scaled",
    "the words times √D, as in the Transformer of 2017",
    says="You multiply the words by √D, as in the Transformer of 2017. BERT does not.",
)
def embed(ids, segments, E, P, S, gain, bias, eps):
    T, D = ids.shape[1], E.shape[1]
    if T > len(P):
        raise ValueError(f"T must be at most {len(P)}, got {T}")
    x = math.sqrt(D) * E[ids] + P[:T] + S[segments]
    return F.layer_norm(x, (D,), gain, bias, eps)


wrong(
    "std",
    says=(
        "Two mistakes at once: you divide the sum of the squares by D - 1 instead of D, and you "
        "add ε to the standard deviation instead of to the variance, inside the root."
    ),
    edit=(
        "return F.layer_norm(x, x.shape[-1:], gain, bias, eps)",
        "x = x - x.mean(dim=-1, keepdim=True)\n"
        "    return x / (x.std(dim=-1, keepdim=True) + eps) * gain + bias",
    ),
)

wrong(
    "swapped",
    says="Gain and bias are swapped.",
    edit=("[-1:], gain, bias, eps)", "[-1:], bias, gain, eps)"),
)

wrong(
    "two-segments",
    says=(
        "Every segment but the first gets the second row of S. S has a row for each segment, and "
        "there may be more than 2."
    ),
    edit=("S[segments]", "torch.where(segments[..., None] == 0, S[0], S[1])"),
)

wrong(
    "unbiased",
    says=(
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() and "
        ".std() divide by D - 1 by default."
    ),
    edit=(
        "return F.layer_norm(x, x.shape[-1:], gain, bias, eps)",
        "x = x - x.mean(dim=-1, keepdim=True)\n"
        "    variance = x.var(dim=-1, keepdim=True)\n"
        "    return x / (variance + eps).sqrt() * gain + bias",
    ),
)

broken("if T > N:", "if T >= N:")
broken("P[:T]", "P[-T:]")
broken("x.shape[-1:], gain, bias, eps", "x.shape[-1:], gain, bias, eps**2")
broken("S[segments]", "S[segments.clamp(max=1)]")
