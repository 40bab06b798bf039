@right("einsum", "sums over a flat batch of tokens, divided by D")
def layer_norm(x, gain, bias, eps):
    D = x.shape[-1]
    rows = x.reshape(-1, D)
    rows = rows - rows.sum(1, keepdim=True) / D
    s = torch.sqrt(torch.einsum("nd,nd->n", rows, rows) / D + eps)
    return (rows / s[:, None]).reshape(x.shape) * gain + bias


def rms_norm(x, gain, eps):
    D = x.shape[-1]
    length = torch.einsum("...d,...d->...", x, x)
    return x / torch.sqrt(length / D + eps).unsqueeze(-1) * gain


@right("var", "the variance by var with a correction of 0, the root by a power")
def layer_norm(x, gain, bias, eps):
    normal = (x - x.mean(-1, keepdim=True)) * (x.var(-1, correction=0, keepdim=True) + eps) ** -0.5
    return torch.addcmul(bias, normal, gain)


def rms_norm(x, gain, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * gain


@wrong(
    "all-tokens",
    "one mean and one variance for everything",
    says="You take one mean and one variance over all tokens together. Each token has its own.",
    spares=["by-hand", "rms", "inputs"],
)
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean()
    return centred / (centred.square().mean() + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


wrong(
    "annotated",
    says=(
        "Two mistakes at once: you divide the sum of the squares by D - 1 instead of D, and you "
        "add ε to the standard deviation instead of to the variance, inside the root."
    ),
    spares=["rms"],
    edit=[
        (
            "variance = centred.square().mean(dim=-1, keepdim=True)",
            "deviation = x.std(dim=-1, keepdim=True)",
        ),
        ("(variance + eps).sqrt()", "(deviation + eps)"),
    ],
)

wrong(
    "bias-missing",
    says="The bias is missing.",
    loses=["by-hand", "values", "gradients"],
    edit=("* gain + bias", "* gain"),
)

wrong(
    "bias-multiplied",
    says="Your code multiplies the bias by the gain. Apply the gain first, then add the bias.",
    loses=["by-hand", "values", "gradients"],
    edit=(
        "centred / (variance + eps).sqrt() * gain + bias",
        "gain * (centred / (variance + eps).sqrt() + bias)",
    ),
)


@wrong(
    "eps-outside",
    "adds eps to the deviation",
    says="ε is outside the root. Add it to the variance, √(σ² + ε), not to σ.",
    spares=["rms"],
)
def layer_norm(x, gain, bias, eps):
    deviation = x.std(dim=-1, correction=0, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (deviation + eps) * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


@wrong(
    "first-axis",
    "axis 1 is the numbers of a token only for a matrix",
    says=(
        "You take mean and variance over the tokens. Take them for each token, over its D "
        "numbers, the last axis."
    ),
    loses=["values", "tokens", "gradients"],
)
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=1, keepdim=True)
    variance = centred.square().mean(dim=1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


wrong(
    "gain-missing",
    says="The gain is missing.",
    spares=["far"],
    edit=[("* gain + bias", "+ bias"), ("(square + eps).sqrt() * gain", "(square + eps).sqrt()")],
)


@wrong(
    "group-norm",
    "PyTorch's group norm with one group, and its layer norm by another name",
    match="by hand",
)
def layer_norm(x, gain, bias, eps):
    rows = x.reshape(-1, x.shape[-1])
    found = torch.nn.GroupNorm(1, x.shape[-1], eps, affine=False)(rows)
    return found.reshape(x.shape) * gain + bias


def rms_norm(x, gain, eps):
    D = x.shape[-1]
    both = torch.cat([x, -x], dim=-1)  # its mean is 0
    return torch.ops.aten.native_layer_norm(both, [2 * D], None, None, eps)[0][..., :D] * gain


@wrong("in-place", "subtracts the mean in place", match="changes its input x", loses=["inputs"])
def layer_norm(x, gain, bias, eps):
    x -= x.mean(dim=-1, keepdim=True)
    return x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


wrong(
    "keepdim-missing",
    says=(
        "keepdim=True is missing. Without it, broadcasting lines up the tokens' means with the "
        "columns, so each mean is applied to a column instead of to its token."
    ),
    spares=["by-hand"],
    edit=[
        ("x - x.mean(dim=-1, keepdim=True)", "x - x.mean(dim=-1)"),
        ("centred.square().mean(dim=-1, keepdim=True)", "centred.square().mean(dim=-1)"),
        ("= x.square().mean(dim=-1, keepdim=True)", "= x.square().mean(dim=-1)"),
    ],
)

wrong(
    "keepdim-missing-var",
    says=(
        "keepdim=True is missing. Without it, broadcasting lines up the tokens' means with the "
        "columns, so each mean is applied to a column instead of to its token."
    ),
    spares=["by-hand", "rms"],
    edit=[
        ("x - x.mean(dim=-1, keepdim=True)", "x - x.mean(dim=-1)"),
        ("centred.square().mean(dim=-1, keepdim=True)", "x.var(dim=-1, correction=0)"),
    ],
)

wrong(
    "mean-kept",
    says="Your variance is right, but the output still contains the mean. Divide x - μ, not x.",
    spares=["rms"],
    edit=("return centred /", "return x /"),
)


@wrong(
    "no-eps",
    "eps is not used",
    says="The given ε is not used. Add it inside the root.",
)
def layer_norm(x, gain, bias, eps):
    mu = x.mean(dim=-1, keepdim=True)
    return (x - mu) / x.std(dim=-1, correction=0, keepdim=True) * gain + bias


def rms_norm(x, gain, eps):
    return x / x.square().mean(dim=-1, keepdim=True).sqrt() * gain


wrong(
    "no-gain",
    "forgets gain and bias",
    says="Gain and bias are missing.",
    loses=["by-hand", "values", "gradients"],
    edit=(
        (
            "variance = centred.square().mean(dim=-1, keepdim=True)\n"
            "    return centred / (variance + eps).sqrt() * gain + bias"
        ),
        "return centred / (centred.square().mean(dim=-1, keepdim=True) + eps).sqrt()",
    ),
)


wrong(
    "over-first-axis",
    says=(
        "You take your means over the first axis. Take them for each token, over its D numbers, "
        "the last axis."
    ),
    edit=[
        ("x - x.mean(dim=-1,", "x - x.mean(dim=0,"),
        ("centred.square().mean(dim=-1,", "centred.square().mean(dim=0,"),
        ("= x.square().mean(dim=-1,", "= x.square().mean(dim=0,"),
    ],
)


@wrong("ready-made", "PyTorch's own", match="by hand")
def layer_norm(x, gain, bias, eps):
    return torch.nn.functional.layer_norm(x, gain.shape, gain, bias, eps)


def rms_norm(x, gain, eps):
    return torch.rms_norm(x, gain.shape, gain, eps)


wrong(
    "rms-all-tokens",
    says="You take one mean square over all tokens together. Each token has its own.",
    spares=["by-hand", "values", "far"],
    edit=("= x.square().mean(dim=-1, keepdim=True)", "= x.square().mean()"),
)


@wrong(
    "rms-centred",
    "RMSNorm that subtracts the mean",
    says="This is layer norm without its bias. RMSNorm does not subtract the mean.",
    spares=["by-hand", "values", "far"],
)
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    x = x - x.mean(dim=-1, keepdim=True)
    return x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt() * gain


wrong(
    "rms-eps-outside",
    says="ε is outside the root. Add it to the mean square, inside the root.",
    spares=["by-hand", "values", "far"],
    edit=("(square + eps).sqrt()", "(square.sqrt() + eps)"),
)

wrong(
    "rms-for-both",
    says="This is RMSNorm. Layer norm subtracts the mean first.",
    spares=["rms"],
    edit=("centred = x - x.mean(dim=-1, keepdim=True)", "centred = x"),
)


wrong(
    "rms-length",
    "divides by the length of the token",
    says=(
        "Your code adds up the squares, so it divides by the length of the token. Divide "
        "by the root of their mean."
    ),
    spares=["by-hand", "values", "far"],
    edit=(
        (
            "square = x.square().mean(dim=-1, keepdim=True)\n"
            "    return x / (square + eps).sqrt() * gain"
        ),
        "return x / (x.square().sum(dim=-1, keepdim=True) + eps).sqrt() * gain",
    ),
)


wrong(
    "rms-variance",
    says=(
        "You subtract the mean before you square. RMSNorm takes the mean of the squares "
        "themselves, not the variance."
    ),
    spares=["by-hand", "values", "far"],
    edit=("= x.square().mean(dim=-1, keepdim=True)", "= x.var(dim=-1, correction=0, keepdim=True)"),
)

wrong(
    "root-missing",
    says=(
        "The square root is missing. Divide by the root of the variance plus ε, and in RMSNorm "
        "by the root of the mean square plus ε."
    ),
    edit=[
        ("(variance + eps).sqrt()", "(variance + eps)"),
        ("(square + eps).sqrt()", "(square + eps)"),
    ],
)


@wrong(
    "root-of-deviation",
    "the lecture's formula with sigma for sigma squared",
    says=(
        "You take the root of σ + ε, as one of the lectures writes it. σ is already a root: take "
        "the root of σ² + ε instead."
    ),
    spares=["rms"],
)
def layer_norm(x, gain, bias, eps):
    mu = x.mean(dim=-1, keepdim=True)
    sigma = (x - mu).square().mean(dim=-1, keepdim=True).add(1e-30).sqrt()
    return (x - mu) / (sigma + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


@wrong(
    "root-squared",
    "takes a root and squares it, which has no gradient at 0",
    match="infinite slope",
    loses=["gradients"],
)
def layer_norm(x, gain, bias, eps):
    centred = x - x.mean(dim=-1, keepdim=True)
    sigma = centred.square().mean(dim=-1, keepdim=True).sqrt()
    return centred / (sigma**2 + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


@wrong(
    "squares-apart",
    "the mean of the squares minus the square of the mean",
    match="lost in rounding",
    loses=["far"],
)
def layer_norm(x, gain, bias, eps):
    mu = x.mean(dim=-1, keepdim=True)
    variance = (x * x).mean(dim=-1, keepdim=True) - mu * mu
    return (x - mu) / (variance + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


wrong(
    "squares-summed",
    says="Your code adds the squares up. The variance is their mean.",
    spares=["rms"],
    edit=("centred.square().mean", "centred.square().sum"),
)


@wrong(
    "unbiased",
    "PyTorch's var divides by D - 1 by default",
    says=(
        "Your code divides the sum of the squares by D - 1. Divide by D. PyTorch's .var() "
        "and .std() divide by D - 1 by default."
    ),
    spares=["rms"],
)
def layer_norm(x, gain, bias, eps):
    variance = x.var(dim=-1, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() * gain + bias


def rms_norm(x, gain, eps):
    square = x.square().mean(dim=-1, keepdim=True)
    return x / (square + eps).sqrt() * gain


broken("x - x.mean(dim=-1, keepdim=True)", "x - x.median(dim=-1, keepdim=True).values")
broken("variance = centred.square()", "variance = centred.abs()")
broken("(variance + eps).sqrt() * gain + bias", "(variance + eps).sqrt() * gain.abs() + bias")
broken("(variance + eps).sqrt()", "variance.clamp(min=eps).sqrt()")
broken(
    "square = x.square().mean(dim=-1, keepdim=True)",
    "square = x.square().amax(dim=-1, keepdim=True)",
)
broken("x / (square + eps).sqrt() * gain", "x / (square.float() + eps).sqrt() * gain")
