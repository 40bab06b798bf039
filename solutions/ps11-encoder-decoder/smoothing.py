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


@wrong(
    "divergence",
    "takes the KL divergence, which can become 0",
    says=(
        "This is the KL divergence, which is smaller by the entropy of the target. Return "
        "the cross-entropy."
    ),
    spares=["gradients"],
)
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    q = (1 - epsilon) * torch.eye(V, dtype=logits.dtype)[says] + epsilon / V
    log_p = logits.log_softmax(-1)
    return (torch.xlogy(q, q) - q * log_p).sum(-1)[says != pad].mean()


def lowest_loss(V, epsilon):
    return 0.0


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
    told="right to 32 bits only",
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


@wrong("log-of-softmax", "takes the logarithm of a softmax", told="log_softmax", loses=["large"])
def smoothed_loss(logits, says, epsilon, pad):
    log_p = logits.softmax(-1).log()
    right = log_p.gather(-1, says[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_p.mean(-1))[says != pad].mean()


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


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


@wrong("ready-made", "the cross-entropy of PyTorch", told="take the call out", spares=["lowest"])
def smoothed_loss(logits, says, epsilon, pad):
    loss = torch.nn.functional.cross_entropy
    return loss(logits.flatten(0, 1), says.flatten(), ignore_index=pad, label_smoothing=epsilon)


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()


broken(
    "-(1 - epsilon) * right - epsilon * even", "-(1 - epsilon) * right - epsilon * even.detach()"
)
broken("each[says != pad].mean()", "each[says != 0].mean()")
broken("even = log_p.mean(dim=-1)", "even = log_p.amin(dim=-1)")
broken("(V - 1) * share", "V * share")
