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
    told="must be at most 1",
    spares=["by-hand", "values"],
    edit=("return (t / share).sqrt().clamp(max=1.0)", "return (t / share).sqrt()"),
)


@wrong(
    "absent-dropped", "a word that never occurs gets 0", told="the limit is 1", loses=["never-seen"]
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
    told="the largest count",
    spares=["by-hand", "values"],
    edit=("counts.sum", "counts.max"),
)

wrong(
    "counts-not-shares",
    "counts instead of shares",
    told="divide its count by the sum",
    spares=["by-hand", "values"],
    edit=(
        "share = counts / counts.sum()\n    return (t / share).sqrt().clamp(max=1.0)",
        "return (t / counts).sqrt().clamp(max=1.0)",
    ),
)

wrong(
    "dropped-negative",
    "the paper's formula taken literally",
    told="some are negative|being dropped|must be",
    spares=["by-hand", "values"],
    edit=(
        "share = counts / counts.sum()\n    return (t / share).sqrt().clamp(max=1.0)",
        "return 1 - (t * counts.sum() / counts).sqrt()",
    ),
)

wrong(
    "dropped",
    "the probability to be dropped",
    told="being dropped",
    spares=["by-hand", "values"],
    edit=(
        "return (t / share).sqrt().clamp(max=1.0)",
        "return (1 - (t / share).sqrt()).clamp(min=0)",
    ),
)


@wrong("in-place", "changes the counts", told="changes its input counts", loses=["inputs"])
def noise_distribution(counts, power=0.75):
    counts **= power
    counts /= counts.sum()
    return counts


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)


wrong(
    "no-root",
    "no root",
    told="the root is missing",
    spares=["by-hand", "values"],
    edit=("return (t / share).sqrt().clamp", "return (t / share).clamp"),
)

wrong(
    "plain-shares",
    "no power",
    told="plain shares",
    spares=["kept"],
    edit=("flat = counts**power\n    return flat / flat.sum()", "return counts / counts.sum()"),
)

wrong(
    "power-fixed",
    "ignores the power",
    told="the power is an input",
    loses=["values"],
    edit=("counts**power", "counts**0.75"),
)

wrong(
    "power-inverse",
    "power 4/3",
    told="is inverted",
    spares=["kept"],
    edit=("counts**power", "counts ** (1 / power) if power else torch.ones_like(counts)"),
)

wrong(
    "power-last",
    "the power after the normalising",
    told="do not sum to 1",
    spares=["kept"],
    edit=(
        "flat = counts**power\n    return flat / flat.sum()",
        "return (counts / counts.sum()) ** power",
    ),
)

wrong(
    "smoothed",
    "adds one to each count",
    told="add nothing to the counts",
    spares=["kept"],
    edit=("flat = counts", "flat = (counts + 1)"),
)

wrong(
    "softmax",
    "a softmax of the counts",
    told="the noise",
    spares=["kept"],
    edit=(
        "flat = counts**power\n    return flat / flat.sum()",
        "return (power * counts).softmax(dim=0)",
    ),
)

wrong(
    "sum-of-counts",
    "divides by the sum of the counts",
    told="not by the sum of their powers",
    spares=["kept"],
    edit=(
        "flat = counts**power\n    return flat / flat.sum()",
        "return counts**power / counts.sum()",
    ),
)

wrong(
    "unnormalised",
    "weights instead of probabilities",
    told="divide them by their sum",
    spares=["kept"],
    edit=("flat = counts**power\n    return flat / flat.sum()", "return counts**power"),
)

wrong(
    "upside-down",
    "the share over the threshold",
    told="are swapped",
    spares=["by-hand", "values"],
    edit=("t / share", "share / t"),
)

broken("flat = counts**power", "flat = counts.log1p() * power")
broken("return flat / flat.sum()", "return flat / flat.max()")
broken("(t / share).sqrt()", "(t / (t + share)).sqrt()")
