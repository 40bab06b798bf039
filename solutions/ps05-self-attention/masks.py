@right("comparisons", "all three by comparing positions")
def causal_mask(T):
    place = torch.arange(T)
    return place.unsqueeze(0) <= place.unsqueeze(1)


def padding_mask(lengths, S):
    return (torch.arange(S)[None, :] < lengths[:, None]).unsqueeze(1)


def decoder_mask(lengths, T):
    return torch.logical_and(causal_mask(T), padding_mask(lengths, T))


@right("loops", "filled entry by entry")
def causal_mask(T):
    mask = torch.zeros(T, T, dtype=torch.bool)
    for i in range(T):
        mask[i, : i + 1] = True
    return mask


def padding_mask(lengths, S):
    mask = torch.zeros(len(lengths), 1, S, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        mask[b, 0, :n] = True
    return mask


def decoder_mask(lengths, T):
    mask = torch.zeros(len(lengths), T, T, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        for i in range(T):
            for j in range(T):
                mask[b, i, j] = j <= i and j < n
    return mask


@right("plain", "the steps that the wrong answers below change", edited=True)
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) & padding_mask(lengths, T)


@wrong(
    "additive",
    "0 and -inf, to be added to the scores",
    match="a mask here is boolean",
    spares=["padding"],
)
def causal_mask(T):
    return torch.full((T, T), -math.inf).triu(1)


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    hidden = ~padding_mask(lengths, T)
    return causal_mask(T) + torch.zeros(hidden.shape).masked_fill(hidden, -math.inf)


wrong(
    "causal-alone",
    "forgets the padding",
    says="Your mask is the causal one alone: the padding may still be attended to.",
    loses=["both"],
    edit=("causal_mask(T) & padding_mask(lengths, T)", "causal_mask(T).expand(len(lengths), T, T)"),
)

wrong(
    "either",
    "allowed by either mask",
    says=(
        "Your mask allows what either of the two masks allows. A key must be allowed by "
        "both: not later, and no padding."
    ),
    loses=["both"],
    edit=("causal_mask(T) & padding_mask", "causal_mask(T) | padding_mask"),
)


@wrong(
    "inverted",
    "True = hidden, as nn.MultiheadAttention has it",
    says="Your mask is True where a key is hidden. Here True = may be attended to.",
)
def causal_mask(T):
    return torch.ones(T, T, dtype=torch.bool).triu(1)


def padding_mask(lengths, S):
    return (torch.arange(S) >= lengths[:, None])[:, None, :]


def decoder_mask(lengths, T):
    return causal_mask(T) | padding_mask(lengths, T)


wrong(
    "later-seen",
    says=(
        "Your mask does not hide what comes later: position i may attend to itself and to "
        "what came before, j ≤ i."
    ),
    spares=["padding"],
    edit=(".tril()", ""),
)


wrong(
    "lengths-on-rows",
    "the lengths hide queries, not keys",
    says=(
        "Your mask empties the rows of the queries that are padding. The lengths say which "
        "keys, the columns, are hidden."
    ),
    loses=["both"],
    edit=(
        "return causal_mask(T) & padding_mask(lengths, T)",
        ("real = torch.arange(T) < lengths[:, None]\n    return causal_mask(T) & real[:, :, None]"),
    ),
)


wrong(
    "next-leaks",
    "the diagonal is one off, the next token leaks",
    says=(
        "Your mask lets each position see the next one: key i + 1 leaks. Look at the "
        "diagonal: j ≤ i."
    ),
    spares=["padding"],
    edit=(
        "torch.ones(T, T, dtype=torch.bool).tril()",
        "torch.ones(T, T, dtype=torch.bool).tril(1)",
    ),
)

wrong(
    "no-query-axis",
    "the padding mask lacks the axis for the queries",
    says=(
        "Your mask has shape (B, S). Against scores (B, T, S) its batch axis would meet "
        "the queries: give it an axis for the queries, (B, 1, S)."
    ),
    loses=["padding"],
    edit=[
        (
            "return (torch.arange(S) < lengths[:, None])[:, None, :]",
            "return torch.arange(S) < lengths[:, None]",
        ),
        ("padding_mask(lengths, T)", "padding_mask(lengths, T)[:, None, :]"),
    ],
)

wrong(
    "one-too-few",
    says="Your mask allows one position too few: n tokens fill positions 0 to n - 1.",
    spares=["causal"],
    edit=("lengths[:, None])", "lengths[:, None] - 1)"),
)


wrong(
    "one-too-many",
    "the first padding position counts as real",
    says="Your mask allows one position too many: n tokens fill positions 0 to n - 1.",
    spares=["causal"],
    edit=("torch.arange(S) < lengths", "torch.arange(S) <= lengths"),
)


wrong(
    "padding-first",
    says="Your mask puts the padding first. The real tokens come first.",
    spares=["causal"],
    edit=("< lengths[:, None])", ">= S - lengths[:, None])"),
)


wrong(
    "queries-emptied",
    "empties the rows of padding queries too",
    says=(
        "Your mask empties the rows of the queries that are padding. The lengths say which "
        "keys, the columns, are hidden."
    ),
    loses=["both"],
    edit=(
        "return causal_mask(T) & padding_mask(lengths, T)",
        (
            "real = padding_mask(lengths, T)\n"
            "    return causal_mask(T) & real & real.transpose(1, 2)"
        ),
    ),
)


wrong(
    "self-hidden",
    "no position sees itself",
    says=(
        "Your mask hides each position from itself. Position i attends to itself, too: j ≤ i, "
        "including the diagonal."
    ),
    spares=["padding"],
    edit=(
        "torch.ones(T, T, dtype=torch.bool).tril()",
        "torch.ones(T, T, dtype=torch.bool).tril(-1)",
    ),
)

wrong(
    "upper",
    "rows and columns mixed up",
    says=(
        "Your mask lets a position see what comes after it, and hides what came before: "
        "rows are queries, columns are keys."
    ),
    spares=["padding"],
    edit=(
        "return torch.ones(T, T, dtype=torch.bool).tril()",
        "place = torch.arange(T)\n    return place[:, None] <= place[None, :]",
    ),
)


@wrong("zeros-and-ones", "floats 0 and 1 in place of booleans", match="a mask here is boolean")
def causal_mask(T):
    return torch.tril(torch.ones(T, T))


def padding_mask(lengths, S):
    return (torch.arange(S) < lengths[:, None])[:, None, :].float()


def decoder_mask(lengths, T):
    return causal_mask(T) * padding_mask(lengths, T)


broken("return torch.ones(T, T, dtype=torch.bool).tril()", "return torch.eye(T) > 0")
broken("real = torch.arange(S) <", "real = torch.arange(S) + 1 <")
broken("return causal & real", "return causal ^ real")
