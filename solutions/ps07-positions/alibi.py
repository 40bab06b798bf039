@right("recursive", "as the paper's own code fills up; distances by a loop")
def alibi_slopes(H):
    def of_power(n):
        start = 2.0 ** (-8 / n)
        return [start ** (h + 1) for h in range(n)]

    def of(n):
        if n & (n - 1) == 0:
            return of_power(n)
        below = 1 << (n.bit_length() - 1)
        return of_power(below) + of_power(2 * below)[0::2][: n - below]

    return torch.tensor(of(H))


def alibi_bias(slopes, T, S):
    rows = [[-abs(S - T + t - s) for s in range(S)] for t in range(T)]
    return slopes.view(-1, 1, 1) * torch.tensor(rows, dtype=slopes.dtype)


@right("tensors", "with tensors throughout, 64 bits; the whole and then its last rows")
def alibi_slopes(H):
    P = 1
    while 2 * P <= H:
        P *= 2
    first = torch.arange(1, P + 1, dtype=torch.float64) * 8 / P
    more = torch.arange(1, 2 * (H - P) + 1, 2, dtype=torch.float64) * 4 / P
    return torch.exp2(-torch.cat([first, more]))


def alibi_bias(slopes, T, S):
    places = torch.arange(S, dtype=slopes.dtype)
    whole = -torch.cdist(places[:, None], places[:, None])
    return torch.einsum("h,ts->hts", slopes, whole[S - T :])


wrong(
    "batch-axis",
    says="Your bias has an axis for the batch. It should be (H, T, S).",
    loses=["bias", "last"],
    edit=("-slopes[:, None, None]", "-slopes[None, :, None, None]"),
)


@wrong(
    "causal",
    "hides later keys as well",
    says=(
        "Your code hides keys after the query. That is the mask's job: the bias is -m |i - "
        "j| on both sides."
    ),
    loses=["bias", "last"],
)
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distance.abs()
    return bias.masked_fill(distance < 0, -math.inf)


wrong(
    "causal-zeros",
    says=("Your code gives keys after the query no penalty. The bias is -m |i - j| on both sides."),
    loses=["bias", "last"],
    edit=("(i - j).abs()", "(i - j).clamp(min=0)"),
)


@wrong(
    "exponents",
    "forgets the power",
    says="You return the exponents. A slope is 2 to the power of its exponent.",
    loses=["powers", "others"],
)
def alibi_slopes(H):
    return torch.tensor([-8 * h / H for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()


wrong(
    "extra-first",
    says=(
        "Your extra slopes come first. The slopes of P heads come first, and those of 2P "
        "heads after them."
    ),
    loses=["others"],
    edit=("slopes + between[: H - P]", "between[: H - P] + slopes"),
)

wrong(
    "filled-from-the-end",
    says=("Of the slopes of 2P heads you take every other one from the end. Start at the front."),
    loses=["others"],
    edit=("between[: H - P]", "between[2 * P - H :]"),
)

wrong(
    "filled-in-a-row",
    "fills up without leaving any out",
    says="Of the slopes of 2P heads you take the first ones in a row: take every other one.",
    loses=["others"],
    edit=("* P, 2", "* P"),
)

wrong(
    "filled-with-even",
    "fills up with those that are there already",
    says=(
        "Of the slopes of 2P heads you take the second, the fourth, ...: those are the "
        "slopes of P heads once more. Take the first, the third, ..."
    ),
    loses=["others"],
    edit=("1, 2 * P", "2, 2 * P + 1"),
)


@wrong(
    "formula-for-all",
    "the formula for any number of heads",
    says=(
        "The number of heads is not a power of two, but you still take 2^(-8h/H). Take the "
        "slopes of P heads, then every other one of 2P heads."
    ),
    loses=["others"],
)
def alibi_slopes(H):
    return torch.tensor([2 ** (-8 * h / H) for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()


@wrong(
    "from-zero",
    "h counts from 0",
    says="Your first head has the slope 1. h counts from 1, not from 0.",
    loses=["powers", "others"],
)
def alibi_slopes(H):
    return torch.tensor([2 ** (-8 * h / H) for h in range(H)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()


wrong(
    "growing",
    says="Your slopes grow: the exponent is -8h/H.",
    loses=["powers", "others"],
    edit=[("-8 * h", "8 * h"), ("-4 * h", "4 * h")],
)


@wrong(
    "halved-each",
    "1/2, 1/4, 1/8 for any number of heads",
    says=(
        "Your slopes are 1/2, 1/4, 1/8, ... for any number of heads. The exponents are "
        "-8h/H, so that the last slope is 1/256."
    ),
    loses=["powers", "others"],
)
def alibi_slopes(H):
    return torch.tensor([2.0**-h for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()


wrong(
    "heads-as-queries",
    "slopes meet the keys' axis",
    match="`alibi_bias` stops with RuntimeError: The size of tensor",
    loses=["bias", "last"],
    edit=(
        "j = torch.arange(S)\n    return -slopes[:, None, None] * (i - j).abs()",
        "return -(torch.arange(S) - i).abs().expand(len(slopes), T, S) * slopes",
    ),
)

wrong(
    "heads-last",
    "heads on the last axis",
    says="Your code puts the heads last. The bias is (H, T, S).",
    loses=["bias", "last"],
    edit=(
        "j = torch.arange(S)\n    return -slopes[:, None, None] * (i - j).abs()",
        "return -(torch.arange(S) - i).abs()[..., None] * slopes",
    ),
)

wrong(
    "in-place",
    "gives the slopes their sign where they are",
    match="`alibi_bias` changes its input slopes",
    loses=["bias"],
    edit=[
        (
            "i = torch.arange(S - T, S)[:, None]",
            "slopes *= -1\n    i = torch.arange(S - T, S)[:, None]",
        ),
        (
            "j = torch.arange(S)\n    return -slopes[:, None, None] * (i - j).abs()",
            "return slopes[:, None, None] * (torch.arange(S) - i).abs()",
        ),
    ],
)


@wrong(
    "larger-cut",
    "the first slopes of the next larger power",
    says=(
        "You take the first slopes of 2P heads. Take all those of P heads, then every other "
        "one of 2P heads."
    ),
    loses=["others"],
)
def alibi_slopes(H):
    P = 2 ** math.ceil(math.log2(H))
    return torch.tensor([2 ** (-8 * h / P) for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()


@wrong(
    "last-key",
    "counts from the last key for every query",
    says=(
        "Your bias is the same for all queries, counted from the last key. Behind a causal mask "
        "the softmax would not notice, as each row only shifts by a constant. Here the bias is "
        "-m |i - j|."
    ),
    loses=["bias", "last"],
)
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    row = -(S - 1 - torch.arange(S))
    return slopes[:, None, None] * row.expand(T, S)


wrong(
    "negative-slopes",
    "puts the minus into the slopes",
    says="Your slopes are negative. A slope is positive: the minus belongs to the bias.",
    loses=["powers", "others"],
    edit=(
        (
            "slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]\n"
            "    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]"
        ),
        (
            "slopes = [-(2 ** (-8 * h / P)) for h in range(1, P + 1)]\n"
            "    between = [-(2 ** (-4 * h / P)) for h in range(1, 2 * P, 2)]"
        ),
    ),
)


@wrong(
    "not-enough",
    "the slopes of the power below alone",
    match=r"shape \(4,\), it must be \(6,\)",
    loses=["others"],
)
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    return torch.tensor([2 ** (-8 * h / P) for h in range(1, P + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()


wrong(
    "one-slope",
    "leaves the slopes out, as one lecture does",
    says="The slopes are not used: each head has its own.",
    loses=["bias", "last"],
    edit=(
        ("j = torch.arange(S)\n    return -slopes[:, None, None] * (i - j).abs()"),
        (
            "distance = (torch.arange(S) - i).abs()\n"
            "    return -distance.to(slopes.dtype).expand(len(slopes), T, S)"
        ),
    ),
)


@wrong(
    "queries-first",
    "the queries are the first T",
    says=(
        "Your first query is at position 0. If there are fewer queries than keys, the "
        "queries are the last T of S positions: query t is at S - T + t."
    ),
    loses=["last"],
)
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    i = torch.arange(T)[:, None]
    return -slopes[:, None, None] * (torch.arange(S) - i).abs()


wrong(
    "reversed",
    says="Your slopes are in reverse order. The steepest comes first.",
    loses=["powers", "others"],
    edit=("range(1, P + 1)", "range(P, 0, -1)"),
)

wrong(
    "rewarded",
    "no minus",
    says="Your bias is positive, so it rewards distance. It is a penalty, -m |i - j|.",
    loses=["bias", "last"],
    edit=(
        "j = torch.arange(S)\n    return -slopes[:, None, None] * (i - j).abs()",
        "return slopes[:, None, None] * (torch.arange(S) - i).abs()",
    ),
)

wrong(
    "rounded",
    says="Your exponents are rounded to whole numbers, as by `//`. -8h/H need not be whole.",
    loses=["powers", "others"],
    edit=[("-8 * h / P", "-8 * h // P"), ("-4 * h / P", "-4 * h // P")],
)

wrong(
    "signed",
    "no absolute value",
    says="Your distances have a sign, so keys after the query are rewarded. It is |i - j|.",
    loses=["bias", "last"],
    edit=(
        "j = torch.arange(S)\n    return -slopes[:, None, None] * (i - j).abs()",
        "return slopes[:, None, None] * (torch.arange(S) - i)",
    ),
)

wrong(
    "signed-back",
    says="Your distances have a sign, so keys before the query are rewarded. It is |i - j|.",
    loses=["bias", "last"],
    edit=("(i - j).abs()", "(j - i)"),
)

wrong(
    "sorted",
    "sorts the slopes",
    says="Your slopes are sorted. The extra ones come last.",
    loses=["others"],
    edit=("slopes + between[: H - P]", "sorted(slopes + between[: H - P], reverse=True)"),
)


@wrong(
    "square",
    says=(
        "You take as many queries as keys. There are T queries, and they are the last T of the S "
        "positions."
    ),
    loses=["last"],
)
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    i = torch.arange(S)
    return -slopes[:, None, None] * (i[:, None] - i).abs()


wrong(
    "squared",
    says="Your code squares the distance. The penalty grows linearly with it.",
    loses=["bias", "last"],
    edit=("(i - j).abs()", "(i - j) ** 2"),
)

wrong(
    "turned",
    says="The axes of queries and keys are swapped. The bias is (H, T, S).",
    loses=["last"],
    edit=[
        ("torch.arange(S - T, S)[:, None]", "torch.arange(S - T, S)"),
        ("j = torch.arange(S)", "j = torch.arange(S)[:, None]"),
    ],
)

broken("int(math.log2(H))", "round(math.log2(H))")
broken("range(1, P + 1)", "range(P, 0, -1)")
broken("2 ** (-4 * h / P)", "2 ** (-4 * h // P)")
broken("between[: H - P]", "between[P - H :]")
broken("torch.arange(S - T, S)[:, None]", "torch.arange(S)[-T:, None].flip(0)")
broken("(i - j).abs()", "(i - j).clamp(min=0)")
