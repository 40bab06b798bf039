@right("branches", "two branches, the root over all of it")
def noam(step, d_model, warmup):
    peak = 1 / math.sqrt(d_model * warmup)
    if step < warmup:
        return peak * step / warmup
    return peak * math.sqrt(warmup / step)


def factor_for(peak, d_model, warmup):
    return peak / noam(warmup, d_model, warmup)


@right("tensors", "tensors, the rate in 32 bits and the factor in 64")
def noam(step, d_model, warmup):
    s = torch.tensor(float(step))
    both = torch.stack([s.rsqrt(), s / warmup**1.5])
    return both.min() / math.sqrt(d_model)


def factor_for(peak, d_model, warmup):
    return torch.tensor(float(d_model * warmup), dtype=torch.float64).sqrt() * peak


@right("plain", "the steps that the wrong answers below change", edited=True)
def noam(step, d_model, warmup):
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)


wrong(
    "factor-first-step",
    "scales the first step to the peak",
    told="Your factor gives the rate of step",
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "peak / noam(1, d_model, warmup)"),
)

wrong(
    "factor-inverse",
    "the inverse factor",
    told="The factor is inverted",
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "(d_model * warmup) ** -0.5 / peak"),
)

wrong(
    "factor-multiplied",
    "multiplies by the peak where it should divide",
    told="You multiply by the schedule's own peak",
    loses=["factor"],
    edit=("math.sqrt(d_model * warmup)", "(d_model * warmup) ** -0.5"),
)

wrong("flat", "stays at its peak", spares=["factor"], edit=("step**-0.5", "warmup**-0.5"))


@wrong("from-zero", "counts the steps from 0", told="count from 0", spares=["factor"])
def noam(step, d_model, warmup):
    step = step - 1
    if step == 0:
        return 0.0
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)


wrong(
    "max",
    "the larger of the two",
    told="Before step warmup",
    spares=["factor"],
    edit=("* min", "* max"),
)

wrong(
    "no-width",
    "forgets d_model",
    told="d_model is missing",
    spares=["shape"],
    edit=[("d_model**-0.5 * min", "min"), ("d_model * warmup", "warmup")],
)

wrong(
    "one-ahead",
    "adds 1, as for steps that start at 0",
    told="one step ahead",
    spares=["factor"],
    edit=(
        "return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
        "step = step + 1\n    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
    ),
)


@wrong("package", "the course's own schedule", told="by hand", spares=["factor"])
def noam(step, d_model, warmup):
    from tfcourse.training import schedules

    return schedules.noam(d_model, warmup)(step)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)


wrong(
    "rise-alone",
    "only the rise",
    told="After step warmup",
    spares=["factor"],
    edit=("min(step**-0.5, step * warmup**-1.5)", "step * warmup**-1.5"),
)

wrong(
    "slope",
    "a rise of step / warmup",
    told="Your rise has the wrong slope",
    spares=["factor"],
    edit=("step * warmup**-1.5", "step / warmup"),
)

broken("rise = step * warmup**-1.5", "rise = step * warmup**-2")
broken("fall = step**-0.5", "fall = step**-0.25")
broken("min(rise, fall)", "rise * fall")
broken("own_peak = (d_model * warmup) ** -0.5", "own_peak = (d_model + warmup) ** -0.5")
