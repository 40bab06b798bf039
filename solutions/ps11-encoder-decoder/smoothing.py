@right("loops", "position by position")
def smoothed_loss(logits, says, epsilon, pad):
    loss, N, V = 0.0, 0, logits.shape[-1]
    for b, t in (says != pad).nonzero().tolist():
        log_p = torch.log_softmax(logits[b, t], 0)
        loss = loss - (1 - epsilon) * log_p[says[b, t]] - epsilon * log_p.sum() / V
        N += 1
    return loss / N


def lowest_loss(V, epsilon):
    q = [1 - epsilon + epsilon / V] + [epsilon / V] * (V - 1)
    return math.fsum(-k * math.log(k) for k in q if k)


@right("target", "the target written out, positions picked by a mask")
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    real = says != pad
    picked, words = logits[real], says[real]
    q = torch.full_like(picked, epsilon / V)
    q[torch.arange(len(words)), words] += 1 - epsilon
    log_p = picked - picked.logsumexp(dim=-1, keepdim=True)
    return (q * -log_p).sum() / len(words)


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


wrong(
    "counts-padding",
    says="Your mean includes padding. Take it over the real words alone.",
    loses=["padding", "large", "gradients"],
    edit=("return each[says != pad].mean()", "return each.mean()"),
)


@wrong(
    "divergence",
    "takes the KL divergence, which can become 0",
    says=(
        "This is the KL divergence, which is smaller by the entropy of the target. Return "
        "the cross-entropy."
    ),
    spares=["gradients", "lowest"],
)
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    q = (1 - epsilon) * torch.eye(V, dtype=logits.dtype)[says] + epsilon / V
    log_p = logits.log_softmax(-1)
    return (torch.xlogy(q, q) - q * log_p).sum(-1)[says != pad].mean()


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


wrong(
    "divides-by-all",
    says=(
        "Padding adds nothing to your sum, but you still count it in N. N is the number of real "
        "words."
    ),
    loses=["padding", "large", "gradients"],
    edit=("return each[says != pad].mean()", "return (each * (says != pad)).mean()"),
)


@wrong(
    "even-at-padding",
    "lets the even part count at padding, as it does not depend on the right word",
    says="The uniform part still counts padding. Leave padding out of both parts.",
    loses=["padding", "large", "gradients"],
)
def smoothed_loss(logits, says, epsilon, pad):
    log_p, real = logits.log_softmax(-1), says != pad
    right = -log_p.gather(-1, says[..., None])[..., 0] * real
    even = -log_p.mean(-1)
    return ((1 - epsilon) * right.sum() + epsilon * even.sum()) / real.sum()


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


@wrong(
    "float32-target",
    "makes the target in 32 bits, whatever the logits have",
    match="right to 32 bits only",
    loses=["values", "gradients"],
)
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    q = (1 - epsilon) * torch.nn.functional.one_hot(says, V) + epsilon / V
    each = -(q * logits.log_softmax(dim=-1)).sum(dim=-1)
    return each[says != pad].mean()


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


wrong(
    "keeps-all",
    says=(
        "In your target, the right word keeps a probability of 1 or more, so the target sums to "
        "1 + ε. The right word must give up ε."
    ),
    spares=["lowest"],
    edit=("-(1 - epsilon) * right", "-right"),
)


@wrong("log-of-softmax", "takes the logarithm of a softmax", match="log_softmax", loses=["large"])
def smoothed_loss(logits, says, epsilon, pad):
    log_p = logits.softmax(-1).log()
    right = log_p.gather(-1, says[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_p.mean(-1))[says != pad].mean()


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


wrong(
    "logits-as-log-p",
    says="The softmax is missing: these are the logits themselves, not log-probabilities.",
    spares=["lowest"],
    edit=("logits.log_softmax(dim=-1)", "logits"),
)


wrong(
    "lowest-even",
    says="That is the loss of a model that gives all words the same probability. It can do better.",
    loses=["lowest"],
    edit=("return lowest", "return math.log(V)"),
)


wrong(
    "lowest-log-top",
    says=(
        "That is -log P of the right word alone. Every word counts, weighted by its probability "
        "in the target."
    ),
    loses=["lowest"],
    edit=("return lowest", "return -math.log(top)"),
)


wrong(
    "lowest-right-part",
    says="That is only the right word's part. Add the parts of the V - 1 others.",
    loses=["lowest"],
    edit=("return lowest", "return -top * math.log(top)"),
)


wrong(
    "lowest-top",
    says="The right word gets its ε/V, too: its target probability is 1 - ε + ε/V.",
    loses=["lowest"],
    edit=("1 - epsilon + share", "1 - epsilon"),
)


wrong(
    "lowest-V-others",
    says="There are V - 1 other words. You count V.",
    loses=["lowest"],
    edit=("(V - 1) * share", "V * share"),
)


wrong(
    "lowest-zero",
    says=(
        "That is the lowest loss without smoothing. With smoothing, a model that is sure of the "
        "right word pays for all the others."
    ),
    loses=["lowest"],
    edit=("return lowest", "return 0.0"),
)


wrong(
    "mean-of-sentences",
    says="You take the mean of the sentences' means. Every word must count the same.",
    loses=["padding", "large", "gradients"],
    edit=(
        "return each[says != pad].mean()",
        "real = says != pad\n    return ((each * real).sum(dim=1) / real.sum(dim=1)).mean()",
    ),
)


wrong(
    "no-share-for-padding",
    says=(
        "Your code gives the padding's class no share. Here it is one of the V classes like any "
        "other."
    ),
    spares=["lowest"],
    edit=("log_p.mean(dim=-1)", "(log_p.sum(dim=-1) - log_p[..., pad]) / (logits.shape[-1] - 1)"),
)


wrong(
    "no-smoothing",
    says="The smoothing is missing: this is the plain cross-entropy.",
    spares=["lowest"],
    edit=("-(1 - epsilon) * right - epsilon * even", "-right"),
)


wrong(
    "not-divided",
    says="You do not divide ε by V. The V words share it.",
    spares=["lowest"],
    edit=("log_p.mean(dim=-1)", "log_p.sum(dim=-1)"),
)


@wrong(
    "others-alone",
    "spreads over the V - 1 wrong words",
    says=("Your code spreads ε over the V - 1 other words. Here the right word gets its ε/V, too."),
)
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, says[..., None])[..., 0]
    others = (log_p.sum(-1) - right) / (V - 1)
    return -((1 - epsilon) * right + epsilon * others)[says != pad].mean()


def lowest_loss(V, epsilon):
    if not epsilon:
        return 0.0
    return -(1 - epsilon) * math.log(1 - epsilon) - epsilon * math.log(epsilon / (V - 1))


wrong(
    "others-without-padding",
    says=(
        "Your code spreads ε over V - 2 words, without the right one and the padding. Here it is "
        "spread over all V."
    ),
    spares=["lowest"],
    edit=(
        "even = log_p.mean(dim=-1)",
        (
            "even = log_p.sum(dim=-1) - right - log_p[..., pad]\n"
            "    even = even / (logits.shape[-1] - 2)"
        ),
    ),
)


wrong(
    "over-positions",
    says="Your softmax runs over the positions. It must run over the vocabulary.",
    spares=["lowest"],
    edit=("logits.log_softmax(dim=-1)", "logits.log_softmax(dim=1)"),
)


@wrong("ready-made", "the cross-entropy of PyTorch", match="take the call out", spares=["lowest"])
def smoothed_loss(logits, says, epsilon, pad):
    loss = torch.nn.functional.cross_entropy
    return loss(logits.flatten(0, 1), says.flatten(), ignore_index=pad, label_smoothing=epsilon)


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


wrong(
    "sign",
    says="The sign is wrong: a loss is at least 0.",
    edit=[
        ("-(1 - epsilon) * right - epsilon * even", "(1 - epsilon) * right + epsilon * even"),
        ("return lowest", "return -lowest"),
    ],
)


wrong(
    "smooths-prediction",
    says="You smooth the prediction. Smooth the target.",
    spares=["lowest"],
    edit=[
        (
            "logits.log_softmax(dim=-1)",
            (
                "logits.softmax(dim=-1)\n"
                "    log_p = ((1 - epsilon) * log_p + epsilon / logits.shape[-1]).log()"
            ),
        ),
        ("-(1 - epsilon) * right - epsilon * even", "-right"),
    ],
)


wrong(
    "softmax-twice",
    says="You take a softmax twice. The log_softmax of probabilities is not log P.",
    spares=["lowest"],
    edit=("logits.log_softmax(dim=-1)", "logits.softmax(dim=-1).log_softmax(dim=-1)"),
)


wrong(
    "sum",
    says="Your loss is the sum over the real words. Return their mean.",
    spares=["lowest"],
    edit=("return each[says != pad].mean()", "return each[says != pad].sum()"),
)


broken(
    "-(1 - epsilon) * right - epsilon * even", "-(1 - epsilon) * right - epsilon * even.detach()"
)
broken("each[says != pad].mean()", "each[says != 0].mean()")
broken("even = log_p.mean(dim=-1)", "even = log_p.amin(dim=-1)")
broken("(V - 1) * share", "V * share")
