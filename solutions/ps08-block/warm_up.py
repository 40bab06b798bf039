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
    says=(
        "With your factor, the rate reaches the desired peak at step 1. The peak is at step warmup."
    ),
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "peak / noam(1, d_model, warmup)"),
)

wrong(
    "factor-inverse",
    "the inverse factor",
    says="The factor is inverted: divide the desired peak by the schedule's own peak.",
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "(d_model * warmup) ** -0.5 / peak"),
)

wrong(
    "factor-multiplied",
    "multiplies by the peak where it should divide",
    says="You multiply by the schedule's own peak. Divide by it.",
    loses=["factor"],
    edit=("math.sqrt(d_model * warmup)", "(d_model * warmup) ** -0.5"),
)

wrong(
    "factor-own-peak",
    says=(
        "You return the schedule's own peak. By what must you multiply it to get the desired peak?"
    ),
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "(d_model * warmup) ** -0.5"),
)

wrong(
    "factor-peak",
    says="You return the desired peak. The schedule's own peak is not 1.",
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "peak"),
)

wrong(
    "factor-unrooted",
    says="A square root is missing: the schedule's own peak is 1/√(d_model · warmup).",
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "peak * d_model * warmup"),
)

wrong(
    "factor-without-warmup",
    says="warmup is missing: a longer warm-up has a lower peak.",
    loses=["factor"],
    edit=("peak * math.sqrt(d_model * warmup)", "peak * math.sqrt(d_model)"),
)

wrong(
    "fall-alone",
    says=(
        "You do not always take the smaller of the two terms. Before step warmup that is step / "
        "warmup^1.5, and after it 1/√step."
    ),
    spares=["factor"],
    edit=("min(step**-0.5, step * warmup**-1.5)", "step**-0.5"),
)

wrong(
    "fall-too-fast",
    says="Your rate falls as 1/step. It should fall as 1/√step.",
    spares=["factor"],
    edit=("step**-0.5", "1 / step"),
)

wrong(
    "flat",
    "stays at its peak",
    says="Your rate stays at its peak. After warmup steps it should fall as 1/√step.",
    spares=["factor"],
    edit=("step**-0.5", "warmup**-0.5"),
)


@wrong(
    "from-zero",
    "counts the steps from 0",
    says=(
        "Your rate is 0 here. Do you count the steps from 0, although the first one is step 1? "
        "Or does a `//` round down?"
    ),
    spares=["factor"],
)
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
    says=(
        "You do not always take the smaller of the two terms. Before step warmup that is step / "
        "warmup^1.5, and after it 1/√step."
    ),
    spares=["factor"],
    edit=("* min", "* max"),
)

wrong(
    "no-width",
    "forgets d_model",
    says="d_model is missing: wider models have a lower learning rate.",
    spares=["shape"],
    edit=[("d_model**-0.5 * min", "min"), ("d_model * warmup", "warmup")],
)

wrong(
    "one-ahead",
    "adds 1, as for steps that start at 0",
    says="You are one step ahead: this is the rate of step + 1.",
    spares=["factor"],
    edit=(
        "return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
        "step = step + 1\n    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
    ),
)


@wrong("package", "the course's own schedule", match="by hand", spares=["factor"])
def noam(step, d_model, warmup):
    from tfcourse.training import schedules

    return schedules.noam(d_model, warmup)(step)


def factor_for(peak, d_model, warmup):
    return peak * math.sqrt(d_model * warmup)


wrong(
    "product-raised",
    says="You raise step · warmup to the power. Raise warmup alone: step · warmup^(-1.5).",
    spares=["factor"],
    edit=("step * warmup**-1.5", "(step * warmup) ** -1.5"),
)

wrong(
    "rise-alone",
    "only the rise",
    says=(
        "You do not always take the smaller of the two terms. Before step warmup that is step / "
        "warmup^1.5, and after it 1/√step."
    ),
    spares=["factor"],
    edit=("min(step**-0.5, step * warmup**-1.5)", "step * warmup**-1.5"),
)

wrong(
    "rise-too-steep",
    says="Your rise divides by √warmup. Divide by warmup^1.5.",
    spares=["factor"],
    edit=("warmup**-1.5", "warmup**-0.5"),
)

wrong(
    "slope",
    "a rise of step / warmup",
    says=(
        "Your rise has the wrong slope: it is step / warmup^1.5, so that rise and fall "
        "meet at step warmup."
    ),
    spares=["factor"],
    edit=("step * warmup**-1.5", "step / warmup"),
)

wrong(
    "width-multiplied",
    says="You multiply by √d_model. Divide by it: wider models have a lower learning rate.",
    loses=["by-hand", "values"],
    edit=("d_model**-0.5 * min", "d_model**0.5 * min"),
)

wrong(
    "width-unrooted",
    says="You divide by d_model. Divide by its square root.",
    loses=["by-hand", "values"],
    edit=("d_model**-0.5 * min", "1 / d_model * min"),
)

broken("rise = step * warmup**-1.5", "rise = step * warmup**-2")
broken("fall = step**-0.5", "fall = step**-0.25")
broken("min(rise, fall)", "rise * fall")
broken("own_peak = (d_model * warmup) ** -0.5", "own_peak = (d_model + warmup) ** -0.5")
