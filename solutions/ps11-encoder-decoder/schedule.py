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


broken("batch // every + 1", "-(-batch // every) + 1")
broken("fall = step**-0.5", "fall = step**-0.4")
broken("sum(rates[:warmup])", "sum(rates[warmup:])")
