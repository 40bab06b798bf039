@right("offset", "one tile at a time of a mask for the whole text")
def corrected_attention(Q, K, V, tile=2):
    T, S = len(Q), len(K)
    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    outputs = []
    for q, may in zip(Q.split(tile), mask.split(tile)):
        m = q.new_full((len(q), 1), -math.inf)
        l, acc = torch.zeros_like(m), q.new_zeros(len(q), V.shape[1])
        for k, v, seen in zip(K.split(tile), V.split(tile), may.split(tile, 1)):
            s = q @ k.mT * Q.shape[1] ** -0.5
            m, l, acc = add_tile(m, l, acc, torch.where(seen, s, -math.inf), v)
        outputs.append((acc / l).masked_fill(l == 0, 0.0))
    return torch.cat(outputs)


@right("prefixes", "each query with the keys that it may see")
def corrected_attention(Q, K, V, tile=2):
    outputs = []
    for i, q in enumerate(Q):
        end = max(0, len(K) - len(Q) + i + 1)
        weights = (K[:end] @ q / math.sqrt(len(q))).softmax(0)
        outputs.append(weights @ V[:end])
    return torch.stack(outputs)


@wrong(
    "unchanged",
    "as it was published",
    says=(
        "This is what `published_attention` does: query i sees keys 0 to i. The new "
        "queries are the last of the text, not the first."
    ),
    spares=["square"],
)
def corrected_attention(Q, K, V, tile=2):
    return published_attention(Q, K, V, tile)


wrong(
    "mask-alone",
    "shifts the mask and not the end of the loop",
    says=(
        "The mask is right now, but the loop over the keys still ends too early. `stop` "
        "also assumes that the queries are the first of the text."
    ),
    loses=["one", "several"],
    edit=("stop = min(S, S - T + i + tile)", "stop = min(S, i + tile)"),
)

wrong(
    "end-alone",
    "shifts the end of the loop and not the mask",
    says=(
        "This is what `published_attention` does: query i sees keys 0 to i. The new "
        "queries are the last of the text, not the first."
    ),
    spares=["square"],
    edit=("[:, None] + S - T", "[:, None]"),
)

wrong(
    "wrong-way",
    "shifts by T - S",
    says="Your mask is shifted the wrong way: the shift is S - T, not T - S.",
    spares=["square"],
    edit=("[:, None] + S - T", "[:, None] + T - S"),
)

wrong(
    "one-too-far",
    "lets every query see one key too many",
    says="Your mask is shifted one position too far: query i sees keys up to S - T + i.",
    loses=["square", "several", "more"],
    edit=[
        ("[:, None] + S - T", "[:, None] + S - T + 1"),
        ("stop = min(S, S - T + i + tile)", "stop = S"),
    ],
)

wrong(
    "own-hidden",
    "hides every query's own key",
    says=(
        "Your mask is shifted one position too little: query i sees keys up to S - T + i, "
        "its own included."
    ),
    edit=("c > r", "c >= r"),
)

wrong(
    "no-mask",
    "hides nothing",
    says="Your code hides nothing: queries see later keys.",
    loses=["square", "several", "more"],
    edit=[
        ("s.masked_fill(c > r, -math.inf)", "s.masked_fill(c > S, -math.inf)"),
        ("stop = min(S, S - T + i + tile)", "stop = S"),
    ],
)

wrong(
    "nan-on-empty",
    "divides by an l of 0",
    match="0/0 is NaN",
    loses=["more"],
    edit=("torch.where(l > 0, l, 1.0)", "l"),
)

wrong(
    "mean-on-empty",
    says=(
        "A query that may attend to nothing gets the mean of the values. Its output must be zeros."
    ),
    loses=["more"],
    edit=[
        ("s.masked_fill(c > r, -math.inf)", "s.masked_fill(c > r, -1e9)"),
        ("stop = min(S, S - T + i + tile)", "stop = S"),
    ],
)

wrong(
    "first-key-on-empty",
    says="A query that may attend to nothing sees the first key. Its output must be zeros.",
    loses=["more"],
    edit=[
        (
            "torch.arange(i, min(i + tile, T))[:, None] + S - T",
            "(torch.arange(i, min(i + tile, T))[:, None] + S - T).clamp(min=0)",
        ),
        ("stop = min(S, S - T + i + tile)", "stop = S"),
    ],
)

wrong(
    "empty-left-out",
    says="The queries that see nothing are missing. Their outputs are rows of zeros.",
    loses=["more"],
    edit=("    return O", "    return O[max(0, T - S) :]"),
)

broken("+ S - T", "+ S - T - 1")
broken("S - T + i + tile", "S - T + i + 1")
broken("acc / torch.where(l > 0, l, 1.0)", "acc")
