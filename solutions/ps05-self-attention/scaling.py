@right("both-scaled", "queries and keys each divided by the fourth root, result a tensor")
def scaled_scores(Q, K):
    root = Q.shape[-1] ** 0.25
    return (Q / root) @ (K / root).mT


def unit_factor(d_k, sigma_q, sigma_k):
    return torch.tensor(1 / (sigma_q * sigma_k) / d_k**0.5, dtype=torch.float64)


@right("einsum", "einsum, a power in place of the root")
def scaled_scores(Q, K):
    return torch.einsum("...td,...sd->...ts", Q, K) * K.size(-1) ** -0.5


def unit_factor(d_k, sigma_q, sigma_k):
    variance = d_k * sigma_q**2 * sigma_k**2
    return variance**-0.5


@right("plain", "the steps that the wrong answers below change", edited=True)
def scaled_scores(Q, K):
    return Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])


def unit_factor(d_k, sigma_q, sigma_k):
    return 1 / (sigma_q * sigma_k * math.sqrt(d_k))


wrong(
    "by-both",
    "divides queries and keys each by the root",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    spares=["factor"],
    edit=(
        "return Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])",
        ("root = math.sqrt(Q.shape[-1])\n    return (Q / root) @ (K / root).transpose(-2, -1)"),
    ),
)


wrong(
    "by-d",
    "divides by d_k instead of its square root",
    says="Your scores are divided by d_k: divide by its square root, √d_k.",
    spares=["factor"],
    edit=("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
)

wrong(
    "by-length",
    "the root of the number of keys",
    says="Your scores are divided by the root of the number of keys. d_k is the width of a key.",
    spares=["factor"],
    edit=("Q.shape[-1]", "K.shape[-2]"),
)

wrong(
    "factor-added",
    says="The standard deviations of q and k multiply. You add them.",
    loses=["factor"],
    edit=("sigma_q * sigma_k *", "(sigma_q + sigma_k) *"),
)


wrong(
    "factor-inverse",
    "grows with the spread",
    says=(
        "If the queries vary more, q·k is larger, so the factor must become smaller, not larger."
    ),
    loses=["factor"],
    edit=("1 / (sigma_q * sigma_k * math.sqrt(d_k))", "sigma_q * sigma_k / math.sqrt(d_k)"),
)

wrong(
    "factor-queries",
    says="Your factor does not change with the standard deviation of the keys.",
    loses=["factor"],
    edit=("sigma_q * sigma_k", "sigma_q"),
)


wrong(
    "factor-squares",
    says=(
        "You divide by the squares of the standard deviations. The standard deviation of q·k is "
        "√d_k σ_q σ_k: divide by that."
    ),
    loses=["factor"],
    edit=("sigma_q * sigma_k", "sigma_q**2 * sigma_k**2"),
)

wrong(
    "factor-under-root",
    says=(
        "Your root holds the standard deviations, √(d_k σ_q σ_k). The variance of q·k is "
        "d_k σ_q² σ_k², and its root is √d_k σ_q σ_k."
    ),
    loses=["factor"],
    edit=("sigma_q * sigma_k * math.sqrt(d_k)", "math.sqrt(d_k * sigma_q * sigma_k)"),
)

wrong(
    "factor-usual",
    "the usual factor whatever the spread",
    says="Your factor does not change with the standard deviations.",
    loses=["factor"],
    edit=("1 / (sigma_q * sigma_k * math.sqrt(d_k))", "1 / math.sqrt(d_k)"),
)

wrong(
    "factor-variance",
    "divides by the variance",
    says=(
        "You divide by the variance of q·k. Var(c·x) is c² Var(x), so divide by the standard "
        "deviation."
    ),
    loses=["factor"],
    edit=("sigma_q * sigma_k * math.sqrt(d_k)", "d_k * sigma_q**2 * sigma_k**2"),
)

wrong(
    "first-axis",
    "len(Q) is the number of queries, or of sequences",
    says=(
        "Your scores are divided by the root of the first axis, which holds the queries or "
        "the sequences. d_k, the width of a key, is the last: Q.shape[-1]."
    ),
    spares=["factor"],
    edit=("Q.shape[-1]", "len(Q)"),
)

wrong(
    "multiplied",
    "multiplies where it should divide",
    says="Your scores are multiplied by √d_k: divide by it instead.",
    spares=["factor"],
    edit=("K.transpose(-2, -1) / math.sqrt", "K.transpose(-2, -1) * math.sqrt"),
)

wrong(
    "softmaxed",
    "returns the weights",
    says="Your scores have been through a softmax. Return the scores themselves.",
    spares=["factor"],
    edit=(
        "Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])",
        "(Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])).softmax(-1)",
    ),
)

wrong(
    "transposed",
    says="Row i of the scores belongs to query i, column j to key j: yours are transposed.",
    spares=["factor"],
    edit=("Q @ K.transpose", "K @ Q.transpose"),
)


wrong(
    "unscaled",
    "not scaled",
    says="Your scores are not scaled: divide them by √d_k.",
    spares=["factor"],
    edit=("K.transpose(-2, -1) / math.sqrt(Q.shape[-1])", "K.transpose(-2, -1)"),
)

broken("d_k = Q.shape[-1]", "d_k = Q.shape[-2]")
broken("/ math.sqrt(d_k)\n", "/ math.log(d_k)\n")
broken("sigma_k * math.sqrt(d_k)", "sigma_q * math.sqrt(d_k)")
