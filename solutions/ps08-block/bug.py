@right(
    "from-published",
    "the published deviation corrected, the gain found by running the published norm",
)
def mended_norm(x, gain, bias, eps=1e-6):
    D = x.shape[-1]
    variance = x.var(dim=-1, keepdim=True) * (D - 1) / D
    return torch.addcmul(
        bias, gain, (x - x.mean(dim=-1, keepdim=True)) * torch.rsqrt(variance + eps)
    )


def carried_over(gain):
    one = torch.ones_like(gain)
    example = torch.arange(len(gain)).to(gain)
    was = published_norm(example, one, 0 * one, 0.0)
    now = mended_norm(example, one, 0 * one, 0.0)
    return gain * was[0] / now[0]


@right("written-out", "the variance written out", edited=True)
def mended_norm(x, gain, bias, eps=1e-6):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return gain * centred / (variance + eps).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


wrong(
    "carried-as-it-was",
    "the gain as it was",
    says="You return the gain unchanged. The two norms divide by different numbers.",
    loses=["carried-over"],
    edit=("gain * (1 - 1 / len(gain)) ** 0.5", "gain"),
)


@wrong(
    "carried-in-place",
    "changes the trained gain in place",
    match="changes its input gain",
    loses=["carried-over"],
)
def mended_norm(x, gain, bias, eps=1e-6):
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() + bias


def carried_over(gain):
    gain *= (1 - 1 / len(gain)) ** 0.5
    return gain


wrong(
    "carried-turned",
    "the inverse factor",
    says=(
        "Your factor is inverted: `published_norm` divided by a larger number, so "
        "`mended_norm` needs a smaller gain."
    ),
    loses=["carried-over"],
    edit=(
        "return gain * (1 - 1 / len(gain)) ** 0.5",
        "D = len(gain)\n    return gain * (D / (D - 1)) ** 0.5",
    ),
)

wrong(
    "carried-variance",
    "the ratio of the variances",
    says="You use the ratio of the variances. The gain needs the ratio of their roots.",
    loses=["carried-over"],
    edit=(
        "return gain * (1 - 1 / len(gain)) ** 0.5",
        "D = len(gain)\n    return gain * (D - 1) / D",
    ),
)

wrong(
    "default-lost",
    says=(
        "Your ε is another number if none is given. Keep the default of the published code, "
        "eps=1e-6."
    ),
    loses=["epsilon"],
    edit=("eps=1e-6", "eps=1e-5"),
)


@wrong(
    "eps-squared",
    "squares eps to keep its unit",
    says="You add ε² under the root. Add ε.",
    loses=["epsilon", "alike"],
)
def mended_norm(x, gain, bias, eps=1e-6):
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (variance + eps**2).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


@wrong(
    "eps-still-outside",
    "the variance is fixed, eps stays outside",
    says="ε is outside the root. Add it to the variance, √(σ² + ε), not to σ.",
    loses=["epsilon", "alike"],
)
def mended_norm(x, gain, bias, eps=1e-6):
    spread = x.std(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (spread + eps) + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


@wrong("framework", "calls the framework's norm", match="by hand", spares=["carried-over"])
def mended_norm(x, gain, bias, eps=1e-6):
    return torch.layer_norm(x, (x.shape[-1],), gain, bias, eps)


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


@wrong("nan-gradient", "a root that is squared again", match="infinite slope", loses=["alike"])
def mended_norm(x, gain, bias, eps=1e-6):
    centred = x - x.mean(dim=-1, keepdim=True)
    sigma = centred.square().mean(dim=-1, keepdim=True).sqrt()
    return gain * centred / (sigma.square() + eps).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


wrong(
    "root-missing",
    says="The square root is missing: you divide by the variance.",
    spares=["carried-over"],
    edit=("(variance + eps).sqrt()", "(variance + eps)"),
)


@wrong(
    "root-of-deviation",
    "the deviation under the root",
    says=(
        "You take the root of σ + ε, as one of the lectures writes it. σ is already a root: take "
        "the root of σ² + ε instead."
    ),
    spares=["carried-over"],
)
def mended_norm(x, gain, bias, eps=1e-6):
    spread = x.std(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (spread + eps).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


@wrong(
    "still-unbiased",
    "eps is fixed, the variance is still divided by D - 1",
    says=(
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() "
        "and .std() divide by D - 1 by default."
    ),
    spares=["carried-over"],
)
def mended_norm(x, gain, bias, eps=1e-6):
    variance = x.var(dim=-1, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


@wrong(
    "unchanged",
    "the published code as it was",
    says=(
        "Two mistakes at once: you divide the sum of the squares by D - 1 instead of D, and you "
        "add ε to the standard deviation instead of to the variance, inside the root."
    ),
    spares=["carried-over"],
)
def mended_norm(x, gain, bias, eps=1e-6):
    return published_norm(x, gain, bias, eps)


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5


broken("correction=0, ", "correction=2, ")
broken("(variance + eps).sqrt()", "(variance.sqrt() + eps**0.5)")
broken("gain * (x - middle)", "gain * x.sub(middle.detach())")
broken("math.sqrt((D - 1) / D)", "math.sqrt(D / (D + 1))")
