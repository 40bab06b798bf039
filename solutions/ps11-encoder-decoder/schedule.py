@right("branches", "a branch for rise and fall, running sums")
def rate_of_batch(batch, every, d_model, warmup):
    update = 1 + (batch - batch % every) // every
    peak = 1 / math.sqrt(d_model * warmup)
    if update < warmup:
        return peak * update / warmup
    return peak * math.sqrt(warmup / update)


def share_of_rise(updates, warmup):
    rise = whole = 0.0
    for n in range(updates):
        rate = (n + 1) / warmup if n + 1 < warmup else math.sqrt(warmup / (n + 1))
        whole += rate
        rise += rate if n < warmup else 0.0
    return rise / whole


@right("tensors", "tensors of 64 bits")
def rate_of_batch(batch, every, d_model, warmup):
    step = torch.tensor(batch).div(every, rounding_mode="floor").double() + 1
    return torch.minimum(step**-0.5, step * warmup**-1.5) / d_model**0.5


def share_of_rise(updates, warmup):
    steps = torch.arange(1, updates + 1, dtype=torch.float64)
    rates = torch.minimum(steps.rsqrt(), steps / warmup**1.5)
    return (rates * (steps <= warmup)).sum() / rates.sum()


wrong(
    "constant-after-peak",
    says="Your rate stays at its peak. After warmup steps it should fall as 1/√step.",
    spares=["share"],
    edit=("fall = step**-0.5", "fall = warmup**-0.5"),
)


@wrong(
    "each-batch",
    "counts every batch as a step",
    says=("Your code takes a step for each batch. There is one update for every `every` batches."),
    spares=["share"],
)
def rate_of_batch(batch, every, d_model, warmup):
    step = batch + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def share_of_rise(updates, warmup):
    rates = [min(s**-0.5, s * warmup**-1.5) for s in range(1, updates + 1)]
    return sum(rates[:warmup]) / sum(rates)


wrong(
    "fraction",
    says="Your step is not a whole number. All batches of an update have the same rate.",
    spares=["share"],
    edit=("batch // every + 1", "batch / every + 1"),
)


wrong(
    "fraction-of-next",
    says="Your step is not a whole number. All batches of an update have the same rate.",
    spares=["share"],
    edit=("batch // every + 1", "(batch + 1) / every"),
)


@wrong(
    "from-zero",
    "counts updates from 0, with an exception for the first",
    says="Your updates count from 0. The first one is step 1 of the formula.",
    spares=["share"],
)
def rate_of_batch(batch, every, d_model, warmup):
    step = batch // every
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def share_of_rise(updates, warmup):
    rates = [min(s**-0.5, s * warmup**-1.5) for s in range(1, updates + 1)]
    return sum(rates[:warmup]) / sum(rates)


wrong(
    "larger",
    says="You take the larger of the two terms. Take the smaller one.",
    spares=["share"],
    edit=("min(rise, fall)", "max(rise, fall)"),
)


wrong(
    "last-batch-ahead",
    says=(
        "In your code the last batch of each update already has the next update's rate. Batches "
        "count from 0."
    ),
    spares=["share"],
    edit=("batch // every + 1", "(batch + 1) // every + 1"),
)


wrong(
    "no-width",
    says="d_model is missing: wider models have a lower learning rate.",
    spares=["share"],
    edit=("d_model**-0.5 * min(rise, fall)", "min(rise, fall)"),
)


wrong(
    "share-integral",
    says="You use an integral, which is only approximate. Add up the rates.",
    loses=["share"],
    edit=(
        "return sum(rates[:warmup]) / sum(rates)",
        (
            "rise = min(updates, warmup) ** 2 / warmup**1.5 / 2\n"
            "    fall = 2 * (max(updates, warmup) ** 0.5 - warmup**0.5)\n"
            "    return rise / (rise + fall)"
        ),
    ),
)


wrong(
    "share-of-fall",
    says="That is the share of the fall. Return that of the rise.",
    loses=["share"],
    edit=("sum(rates[:warmup])", "sum(rates[warmup:])"),
)


@wrong(
    "share-of-updates",
    "counts updates instead of adding rates",
    says="That is the share of the updates. Weight each update by its rate.",
    loses=["share"],
)
def rate_of_batch(batch, every, d_model, warmup):
    step = batch // every + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def share_of_rise(updates, warmup):
    return min(1.0, warmup / updates)


wrong(
    "share-over-fall",
    says="You divide the rise by the fall. Divide it by the sum of all rates.",
    loses=["share"],
    edit=(
        "sum(rates[:warmup]) / sum(rates)",
        "sum(rates[:warmup]) / (sum(rates[warmup:]) or sum(rates))",
    ),
)


wrong(
    "share-past-peak",
    says="You count one update too many. The rise is updates 1 to warmup.",
    loses=["share"],
    edit=("rates[:warmup]", "rates[: warmup + 1]"),
)


wrong(
    "share-without-last",
    says="The last update is missing from the sum of all rates.",
    loses=["share"],
    edit=("/ sum(rates)", "/ sum(rates[:-1])"),
)


wrong(
    "share-without-peak",
    says="The update at the peak is missing. The rise is updates 1 to warmup, both included.",
    loses=["share"],
    edit=("rates[:warmup]", "rates[: warmup - 1]"),
)


wrong(
    "slope",
    says=(
        "Your rise has the wrong slope: it is step / warmup^1.5, so that rise and fall meet at "
        "step warmup."
    ),
    spares=["share"],
    edit=("rise = step * warmup**-1.5", "rise = step / warmup"),
)


wrong(
    "times-width",
    says="You multiply by √d_model. Divide by it: wider models have a lower learning rate.",
    spares=["share"],
    edit=("d_model**-0.5 * min(rise", "d_model**0.5 * min(rise"),
)


broken("batch // every + 1", "-(-batch // every) + 1")
broken("fall = step**-0.5", "fall = step**-0.4")
broken("sum(rates[:warmup])", "sum(rates[warmup:])")
