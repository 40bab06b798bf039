@right("weights", "each side's weight of exp, with NaN replaced by 0")
def merge(m_a, l_a, acc_a, m_b, l_b, acc_b):
    m = torch.stack([m_a, m_b]).amax(0)
    factors = torch.exp(torch.stack([m_a, m_b]) - m).nan_to_num(0.0)
    l = (factors * torch.stack([l_a, l_b])).sum(0)
    acc = torch.einsum("wt,wtv->tv", factors, torch.stack([acc_a, acc_b]))
    return m, l, acc


def merge_finished(O_a, L_a, O_b, L_b):
    both = torch.stack([L_a, L_b])
    shares = both.softmax(0).nan_to_num(0.0)
    O = torch.einsum("wt,wtv->tv", shares, torch.stack([O_a, O_b]))
    return O, both.logsumexp(0)


@right("loop", "a query at a time, in Python's numbers")
def merge(m_a, l_a, acc_a, m_b, l_b, acc_b):
    kept = []
    for t in range(len(m_a)):
        if l_a[t] == 0:
            kept.append((m_b[t], l_b[t], acc_b[t]))
        elif l_b[t] == 0:
            kept.append((m_a[t], l_a[t], acc_a[t]))
        elif m_a[t] >= m_b[t]:
            f = torch.exp(m_b[t] - m_a[t])
            kept.append((m_a[t], l_a[t] + f * l_b[t], acc_a[t] + f * acc_b[t]))
        else:
            f = torch.exp(m_a[t] - m_b[t])
            kept.append((m_b[t], f * l_a[t] + l_b[t], f * acc_a[t] + acc_b[t]))
    return tuple(torch.stack(part) for part in zip(*kept))


def merge_finished(O_a, L_a, O_b, L_b):
    one = torch.ones_like(L_a)
    seen_a, seen_b = (L_a > -math.inf) * one, (L_b > -math.inf) * one
    m, l, acc = merge(
        *(L_a, seen_a, seen_a[:, None] * O_a),
        *(L_b, seen_b, seen_b[:, None] * O_b),
    )
    return acc / l.clamp(min=1e-30)[:, None], m + l.log()


wrong(
    "uncorrected",
    "adds the sums as they are",
    says=(
        "You add the sums of both sides without correction. Each side was summed with its "
        "own m: multiply its sums by exp(m_side - m) first."
    ),
    loses=["by-hand", "values", "large", "empty"],
    edit=("torch.exp(m_a - base), torch.exp(m_b - base)", "torch.ones_like(m), torch.ones_like(m)"),
)

wrong(
    "one-side",
    "corrects side a only",
    says=(
        "You correct only side a. For some queries side b has the smaller m, and then its sums "
        "need the factor exp(m_b - m)."
    ),
    spares=["finished"],
    edit=(
        "torch.exp(m_a - base), torch.exp(m_b - base)",
        "torch.exp(m_a - base), torch.ones_like(m)",
    ),
)

wrong(
    "acc-forgotten",
    "corrects l and not acc",
    says="acc is not corrected. It needs the same factors as l.",
    spares=["finished"],
    edit=("f_a[:, None] * acc_a + f_b[:, None] * acc_b", "acc_a + acc_b"),
)

wrong(
    "l-forgotten",
    says="l is not corrected. It needs the same factors as acc.",
    spares=["finished"],
    edit=("f_a * l_a + f_b * l_b", "l_a + l_b"),
)

wrong(
    "swapped",
    "multiplies each side by the other's factor",
    says="The factors of a and b are swapped: side a is multiplied by exp(m_a - m).",
    spares=["finished"],
    edit=("f_a, f_b = torch", "f_b, f_a = torch"),
)

wrong(
    "inverted",
    says="Your factors are inverted: exp(m_side - m) is at most 1, and yours is at least 1.",
    spares=["finished"],
    edit=(
        "torch.exp(m_a - base), torch.exp(m_b - base)",
        "torch.exp(base - m_a), torch.exp(base - m_b)",
    ),
)

wrong(
    "columns",
    "multiplies the columns of acc by the factors",
    says=(
        "Your factors multiply the columns of acc. There is one factor for each query, "
        "which is a row: give it an axis, [:, None]."
    ),
    loses=["by-hand", "values", "large", "empty"],
    edit=("f_a[:, None] * acc_a + f_b[:, None] * acc_b", "f_a * acc_a + f_b * acc_b"),
)

wrong(
    "smaller",
    "takes the smaller m",
    says=(
        "Your m is the smaller of the two. It must be the larger: otherwise a factor can overflow."
    ),
    spares=["finished"],
    edit=("torch.maximum(m_a, m_b)", "torch.minimum(m_a, m_b)"),
)

wrong(
    "divided",
    "divides acc by l",
    says=(
        "Your acc is already divided by l. Return the undivided sum, because a later merge "
        "needs it."
    ),
    spares=["finished"],
    edit=("return m, l, acc", "return m, l, acc / l[:, None]"),
)

wrong(
    "plain-exp",
    "raises e to m itself",
    match="overflows for large m",
    loses=["large", "empty"],
    edit=[
        (
            "f_a, f_b = torch.exp(m_a - base), torch.exp(m_b - base)",
            "f_a, f_b = torch.exp(m_a), torch.exp(m_b)",
        ),
        ("return m, l, acc", "scale = torch.exp(m)\n    return m, l / scale, acc / scale[:, None]"),
    ],
)

wrong(
    "nan-on-nothing",
    "subtracts -inf from -inf",
    match=r"-inf - \(-inf\) is NaN",
    loses=["empty"],
    edit=("torch.where(m == -math.inf, 0.0, m)", "m"),
)

wrong(
    "mean",
    "takes the mean of both outputs",
    says=(
        "Your output is the plain mean of both. Weight each half by exp(L), the total "
        "weight of its keys."
    ),
    loses=["finished"],
    edit=("share_a[:, None] * O_a + share_b[:, None] * O_b", "(O_a + O_b) / 2"),
)

wrong(
    "plain-sum",
    says=(
        "Your output is the plain sum of both. The shares exp(L_a - L) and exp(L_b - L) are "
        "missing."
    ),
    loses=["finished"],
    edit=("share_a[:, None] * O_a + share_b[:, None] * O_b", "O_a + O_b"),
)

wrong(
    "undivided",
    says=(
        "Your output is not divided by the total weight. The shares are exp(L_a) and "
        "exp(L_b), each divided by their sum."
    ),
    loses=["finished"],
    edit=(
        "share_a, share_b = torch.exp(L_a - base), torch.exp(L_b - base)",
        "share_a, share_b = torch.exp(L_a), torch.exp(L_b)",
    ),
)

wrong(
    "shares-swapped",
    says="The shares of a and b are swapped.",
    loses=["finished"],
    edit=("share_a, share_b = torch", "share_b, share_a = torch"),
)

wrong(
    "shares-of-columns",
    says="Your shares multiply the columns of O: give them an axis, [:, None].",
    loses=["finished"],
    edit=("share_a[:, None] * O_a + share_b[:, None] * O_b", "share_a * O_a + share_b * O_b"),
)

wrong(
    "logarithms",
    "uses L itself as a weight",
    says="Your shares are L itself. L is a logarithm: the total weight of a half is exp(L).",
    loses=["finished"],
    edit=(
        "share_a, share_b = torch.exp(L_a - base), torch.exp(L_b - base)",
        "share_a, share_b = L_a / (L_a + L_b), L_b / (L_a + L_b)",
    ),
)

wrong(
    "larger-L",
    "uses the larger L as that of both",
    says="Your L is the larger of the two. The weights add up: L = log(exp(L_a) + exp(L_b)).",
    loses=["finished"],
    edit=("return O, L", "return O, torch.maximum(L_a, L_b)"),
)

wrong(
    "sum-of-L",
    says=(
        "You add the logarithms L_a and L_b. It is the weights, exp(L_a) and exp(L_b), that add up."
    ),
    loses=["finished"],
    edit=("return O, L", "return O, L_a + L_b"),
)

wrong(
    "no-logarithm",
    says="Your L is the total weight itself. Take its logarithm.",
    loses=["finished"],
    edit=("return O, L", "return O, torch.exp(L_a) + torch.exp(L_b)"),
)

broken("f_b * l_b", "l_b")
broken("torch.maximum(m_a, m_b)", "(m_a + m_b) / 2")
broken("torch.logaddexp(L_a, L_b)", "L_a + L_b")
broken("torch.where(L == -math.inf, 0.0, L)", "L")
broken("share_b[:, None] * O_b", "share_a[:, None] * O_b")
