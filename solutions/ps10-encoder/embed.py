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


@wrong(
    "last-place",
    "tokens beyond the table get the last position",
    told="have no row in P",
    loses=["too-long"],
)
def embed(ids, segments, E, P, S, gain, bias, eps):
    places = torch.arange(ids.shape[1]).clamp(max=len(P) - 1)
    x = E[ids] + P[places] + S[segments]
    return F.layer_norm(x, gain.shape, gain, bias, eps)


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
    says="Your positions start again with the second text. Count on from [CLS] to the end.",
)
def embed(ids, segments, E, P, S, gain, bias, eps):
    B, T = ids.shape
    if T > len(P):
        raise ValueError(f"T must be at most {len(P)}, got {T}")
    of_first = (segments == 0).sum(dim=1, keepdim=True)
    places = torch.arange(T) - of_first * segments
    return F.layer_norm(E[ids] + P[places] + S[segments], gain.shape, gain, bias, eps)


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


broken("if T > N:", "if T >= N:")
broken("P[:T]", "P[-T:]")
broken("x.shape[-1:], gain, bias, eps", "x.shape[-1:], gain, bias, eps**2")
broken("S[segments]", "S[segments.clamp(max=1)]")
