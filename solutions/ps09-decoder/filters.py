@right("loop", "row by row in Python")
def keep_top_k(logits, k):
    result = torch.full_like(logits, -math.inf)
    for b, row in enumerate(logits.tolist()):
        lowest = sorted(row, reverse=True)[min(k, len(row)) - 1]
        for v, number in enumerate(row):
            if number >= lowest:
                result[b, v] = logits[b, v]
    return result


def keep_top_p(logits, p):
    result = torch.full_like(logits, -math.inf)
    for b, row in enumerate(logits.double().softmax(-1).tolist()):
        total = 0.0
        for v in sorted(range(len(row)), key=lambda v: -row[v]):
            if total >= p and p < 1:
                break
            result[b, v] = logits[b, v]
            total += row[v]
    return result


@right("ranks", "argsort twice, and where")
def keep_top_k(logits, k):
    k = min(k, logits.shape[1])
    lowest = logits.sort(dim=1, descending=True).values[:, k - 1].unsqueeze(1)
    return torch.where(logits >= lowest, logits, torch.tensor(-math.inf, dtype=logits.dtype))


def keep_top_p(logits, p):
    order = (-logits).argsort(dim=1, stable=True)
    rank = order.argsort(dim=1)
    P = logits.softmax(1).gather(1, order)
    total = P.cumsum(1)
    m = (total < p).sum(1, keepdim=True) + 1
    if p == 1.0:
        m = torch.full_like(m, logits.shape[1])
    return torch.where(rank < m, logits, torch.full_like(logits, -math.inf))


wrong(
    "ascending",
    says="Your sum begins with the least likely token. Begin with the most likely.",
    spares=["top-k"],
    edit=("descending=True, ", ""),
)

wrong(
    "crossing",
    "the token that crosses p is dropped",
    says=(
        "You leave out the token with which the sum reaches p. Keep it: the kept tokens must "
        "have at least p together."
    ),
    loses=["by-hand", "top-p", "minus-infinity"],
    edit=(
        "before = P.cumsum(dim=-1) - P\n    cut = before >= p",
        "cut = P.cumsum(dim=-1) > p\n    cut[:, 0] = False",
    ),
)

wrong(
    "crossing-first",
    says=(
        "You leave out the token with which the sum reaches p. Keep it: the kept tokens must "
        "have at least p together."
    ),
    spares=["top-k"],
    edit=(
        "before = P.cumsum(dim=-1) - P\n    cut = before >= p",
        "cut = P.cumsum(dim=-1) > p",
    ),
)


@wrong(
    "edges",
    "p = 1 leaves it to rounding, and k may be too large",
    match="wrong in|error|out of range",
    loses=["edges"],
)
def keep_top_k(logits, k):
    lowest = logits.topk(k, dim=-1).values[:, -1:]
    return logits.masked_fill(logits < lowest, -math.inf)


def keep_top_p(logits, p):
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    before = P.cumsum(dim=-1) - P
    cut = before >= p
    cut = torch.zeros_like(cut).scatter(-1, order, cut)
    return logits.masked_fill(cut, -math.inf)


wrong(
    "in-order",
    says="The logits come back sorted: the logit of token v must stay at index v.",
    spares=["top-k"],
    edit=(
        "cut = torch.zeros_like(cut).scatter(-1, order, cut)\n"
        "    return logits.masked_fill(cut, -math.inf)",
        "return ordered.masked_fill(cut, -math.inf)",
    ),
)

wrong(
    "in-place",
    "writes into the logits",
    match="changes its input",
    loses=["inputs"],
    edit=(
        "return logits.masked_fill(logits < lowest, -math.inf)",
        "logits[logits < lowest] = -math.inf\n    return logits",
    ),
)

wrong(
    "kept-alone",
    says="You return only the kept logits. Keep the shape, and set the others to -∞.",
    spares=["top-p"],
    edit=(
        "lowest = logits.topk(k, dim=-1).values[:, -1:]\n"
        "    return logits.masked_fill(logits < lowest, -math.inf)",
        "return logits.topk(k, dim=-1).values",
    ),
)

wrong(
    "kth",
    says=(
        "You leave out the k-th likeliest token. Keep every token that is at least as likely as "
        "that one."
    ),
    spares=["top-p"],
    edit=("logits < lowest", "logits <= lowest"),
)

wrong(
    "large-number",
    says=(
        "Your code sets the other logits to a large negative number. Set them to -∞, which is "
        "-math.inf."
    ),
    edit=[
        ("logits < lowest, -math.inf", "logits < lowest, -1e9"),
        ("cut, -math.inf", "cut, -1e9"),
    ],
)

wrong(
    "largest-number",
    says=(
        "Your code sets the other logits to a large negative number. Set them to -∞, which is "
        "-math.inf."
    ),
    edit=[
        ("logits < lowest, -math.inf", "logits < lowest, torch.finfo(logits.dtype).min"),
        ("cut, -math.inf", "cut, torch.finfo(logits.dtype).min"),
    ],
)

wrong(
    "least-likely",
    says="You keep the k least likely tokens. Keep the k most likely.",
    spares=["top-p"],
    edit=(
        "lowest = logits.topk(k, dim=-1).values[:, -1:]\n"
        "    return logits.masked_fill(logits < lowest, -math.inf)",
        "kept = logits.argsort(dim=-1)[:, :k]\n"
        "    result = torch.full_like(logits, -math.inf)\n"
        "    return result.scatter(-1, kept, logits.gather(-1, kept))",
    ),
)

wrong(
    "log-probabilities",
    says="You return log-probabilities. Return the logits, unchanged where they are kept.",
    edit=[
        ("logits < lowest, -math.inf)", "logits < lowest, -math.inf).log_softmax(dim=-1)"),
        ("cut, -math.inf)", "cut, -math.inf).log_softmax(dim=-1)"),
    ],
)

wrong(
    "not-cut",
    says="Nothing is cut off: you return the logits unchanged.",
    edit=[
        (
            "return logits.masked_fill(logits < lowest, -math.inf)",
            "logits.masked_fill(logits < lowest, -math.inf)\n    return logits",
        ),
        (
            "return logits.masked_fill(cut, -math.inf)",
            "logits.masked_fill(cut, -math.inf)\n    return logits",
        ),
    ],
)

wrong(
    "one-minus-p",
    "a nucleus of 1 - p",
    says=(
        "You keep tokens with a total probability of 1 - p. The p is how much to keep, not how "
        "much to cut off."
    ),
    spares=["top-k"],
    edit=("before >= p", "before > 1 - p"),
)

wrong(
    "one-too-many",
    says="One token too many is kept: stop when p is reached.",
    spares=["top-k"],
    edit=(
        "cut = before >= p",
        "cut = before >= p\n    cut[:, 1:] = cut[:, :-1].clone()",
    ),
)

wrong(
    "own-probability",
    says=(
        "You compare each token's own probability with 1 - p. What decides is the total "
        "probability of the tokens that are likelier."
    ),
    spares=["top-k"],
    edit=(
        "before = P.cumsum(dim=-1) - P\n    cut = before >= p",
        "cut = P < 1 - p",
    ),
)

wrong(
    "probabilities",
    says="You return probabilities. Return the logits, with -∞ for what is cut off.",
    edit=[
        ("logits < lowest, -math.inf)", "logits < lowest, -math.inf).softmax(dim=-1)"),
        ("cut, -math.inf)", "cut, -math.inf).softmax(dim=-1)"),
    ],
)

wrong(
    "probabilities-kept",
    says="You return probabilities. Return the logits, with -∞ for what is cut off.",
    edit=[
        (
            "return logits.masked_fill(logits < lowest, -math.inf)",
            "return logits.softmax(dim=-1).masked_fill(logits < lowest, 0)",
        ),
        (
            "return logits.masked_fill(cut, -math.inf)",
            "return logits.softmax(dim=-1).masked_fill(cut, 0)",
        ),
    ],
)


wrong(
    "sorted-order",
    "the cut stays in the sorted order",
    says=(
        "Your mask is in sorted order, but you apply it to logits in the vocabulary's order. Map "
        "the mask back first."
    ),
    spares=["top-k"],
    edit=(
        ("cut = before >= p\n    cut = torch.zeros_like(cut).scatter(-1, order, cut)"),
        "cut = before >= p",
    ),
)


@wrong(
    "ties",
    "of tied tokens only some are kept",
    says="Of the tokens that are as likely as the k-th, you keep only some. Keep all of them.",
    loses=["top-k"],
)
def keep_top_k(logits, k):
    k = min(k, logits.shape[-1])
    best = logits.topk(k, dim=-1)
    cut = torch.full_like(logits, -math.inf)
    return cut.scatter(-1, best.indices, best.values)


def keep_top_p(logits, p):
    if p == 1:
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    before = P.cumsum(dim=-1) - P
    cut = before >= p
    cut = torch.zeros_like(cut).scatter(-1, order, cut)
    return logits.masked_fill(cut, -math.inf)


wrong(
    "zero",
    says=(
        "Your code sets the other logits to 0, and exp(0) = 1 is not a small weight. Set them to "
        "-∞."
    ),
    edit=[
        ("logits < lowest, -math.inf", "logits < lowest, 0"),
        ("cut, -math.inf", "cut, 0"),
    ],
)

broken("logits < lowest", "logits <= lowest")
broken("k = min(k, logits.shape[-1])", "k = min(k, logits.shape[-1] - 1)")
broken("before >= p", "before > p * p")
broken("ordered.softmax(dim=-1)", "ordered.softmax(dim=0)")
broken("if p == 1:", "if p > 0.5:")
