@right("loops", "word by word")
def noise_distribution(counts, power=0.75):
    weights = [count**power for count in counts]
    total = sum(weights)
    return torch.stack([weight / total for weight in weights])


def keep_probability(counts, t):
    kept = []
    for count in counts:
        share = count / counts.sum()
        kept.append(1.0 if share <= t else math.sqrt(t / share))
    return torch.tensor(kept, dtype=counts.dtype)


@right("shares-first", "the power of the shares; where instead of clamp")
def noise_distribution(counts, power=0.75):
    share = counts / counts.sum()
    return share.pow(power) / share.pow(power).sum()


def keep_probability(counts, t):
    limit = t * counts.sum()
    frequent = counts > limit
    return torch.where(frequent, (limit / counts) ** 0.5, 1.0)


wrong(
    "above-one",
    "not cut off at 1",
    says="A rare word gets a probability above 1. It must be at most 1.",
    spares=["by-hand", "values"],
    edit=("return (t / share).sqrt().clamp(max=1.0)", "return (t / share).sqrt()"),
)


@wrong(
    "absent-dropped",
    "a word that never occurs gets 0",
    says=(
        "Your code gives a word that never occurs the probability 0. √(t / f) grows without "
        "bound as f goes to 0, so the probability is cut off at 1."
    ),
    loses=["never-seen"],
)
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    kept = torch.zeros_like(counts)
    kept[counts > 0] = (t / share[counts > 0]).sqrt().clamp(max=1.0)
    return kept


wrong(
    "by-largest",
    "relative to the most frequent word",
    says="f is a word's share of the whole text; you divide by the largest count.",
    spares=["by-hand", "values"],
    edit=("counts.sum", "counts.max"),
)

wrong(
    "counts-not-shares",
    "counts instead of shares",
    says="f is a word's share of the text: divide its count by the sum of all counts.",
    spares=["by-hand", "values"],
    edit=(
        "share = counts / counts.sum()\n    return (t / share).sqrt().clamp(max=1.0)",
        "return (t / counts).sqrt().clamp(max=1.0)",
    ),
)

wrong(
    "dropped-negative",
    "the paper's formula taken literally",
    says=(
        "These are the probabilities of being dropped, and some are negative. Return 1 "
        "minus them, at most 1."
    ),
    spares=["by-hand", "values"],
    edit=(
        "share = counts / counts.sum()\n    return (t / share).sqrt().clamp(max=1.0)",
        "return 1 - (t * counts.sum() / counts).sqrt()",
    ),
)

wrong(
    "dropped",
    "the probability to be dropped",
    says="These are the probabilities of being dropped. Return 1 minus them.",
    spares=["by-hand", "values"],
    edit=(
        "return (t / share).sqrt().clamp(max=1.0)",
        "return (1 - (t / share).sqrt()).clamp(min=0)",
    ),
)


@wrong("in-place", "changes the counts", match="changes its input counts", loses=["inputs"])
def noise_distribution(counts, power=0.75):
    counts **= power
    counts /= counts.sum()
    return counts


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)


wrong(
    "negative-power",
    says="Your code gives frequent words the smaller probabilities. The power is positive.",
    spares=["kept"],
    edit=("counts**power", "counts**-power"),
)


wrong(
    "no-root",
    "no root",
    says="The root is missing: √(t / f), not t / f.",
    spares=["by-hand", "values"],
    edit=("return (t / share).sqrt().clamp", "return (t / share).clamp"),
)

wrong(
    "plain-shares",
    "no power",
    says="These are the words' plain shares of the text: raise the counts to the power first.",
    spares=["kept"],
    edit=("flat = counts**power\n    return flat / flat.sum()", "return counts / counts.sum()"),
)

wrong(
    "power-fixed",
    "ignores the power",
    says="The power is an input: you take 3/4 whatever it is.",
    loses=["values"],
    edit=("counts**power", "counts**0.75"),
)

wrong(
    "power-inverse",
    "power 4/3",
    says="Your power is inverted: 1/power makes frequent words more frequent, not less.",
    spares=["kept"],
    edit=("counts**power", "counts ** (1 / power) if power else torch.ones_like(counts)"),
)

wrong(
    "power-last",
    "the power after the normalising",
    says=(
        "Your probabilities do not sum to 1. Take the power of the counts first, then divide by "
        "the sum of the powers."
    ),
    spares=["kept"],
    edit=(
        "flat = counts**power\n    return flat / flat.sum()",
        "return (counts / counts.sum()) ** power",
    ),
)

wrong(
    "smoothed",
    "adds one to each count",
    says=(
        "Your code may draw a word that never occurs. Do not add anything to the counts: 0 to a "
        "positive power is 0."
    ),
    spares=["kept"],
    edit=("flat = counts", "flat = (counts + 1)"),
)

wrong(
    "softmax",
    "a softmax of the counts",
    says=(
        "A softmax of the counts gives almost all the probability to the most frequent word. "
        "Take powers, not exponentials."
    ),
    spares=["kept"],
    edit=(
        "flat = counts**power\n    return flat / flat.sum()",
        "return (power * counts).softmax(dim=0)",
    ),
)

wrong(
    "sum-of-counts",
    "divides by the sum of the counts",
    says=(
        "You divide by the sum of the counts, not by the sum of their powers, so the result "
        "does not sum to 1."
    ),
    spares=["kept"],
    edit=(
        "flat = counts**power\n    return flat / flat.sum()",
        "return counts**power / counts.sum()",
    ),
)

wrong(
    "uniform",
    says="Your code gives every word the same probability. Where do the counts come in?",
    spares=["kept"],
    edit=(
        "flat = counts**power\n    return flat / flat.sum()",
        "return torch.full_like(counts, 1 / len(counts))",
    ),
)


wrong(
    "unnormalised",
    "weights instead of probabilities",
    says="These are the powers of the counts: divide them by their sum.",
    spares=["kept"],
    edit=("flat = counts**power\n    return flat / flat.sum()", "return counts**power"),
)

wrong(
    "upside-down",
    "the share over the threshold",
    says="t and f are swapped: the more frequent a word, the less often it is kept.",
    spares=["by-hand", "values"],
    edit=("t / share", "share / t"),
)

broken("flat = counts**power", "flat = counts.log1p() * power")
broken("return flat / flat.sum()", "return flat / flat.max()")
broken("(t / share).sqrt()", "(t / (t + share)).sqrt()")
