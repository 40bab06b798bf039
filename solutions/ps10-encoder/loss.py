@right("one-hot", "one-hot rows, weights that sum to 1")
def masked_loss(logits, x, chosen):
    V = logits.shape[-1]
    log_p = F.log_softmax(logits, dim=-1)
    each = -(F.one_hot(x, V) * log_p).sum(dim=-1)
    weights = chosen.to(logits.dtype)
    weights = weights / torch.clamp(weights.sum(), min=1.0)
    return (weights * each).sum()


@right("picked", "the chosen rows alone, by logsumexp")
def masked_loss(logits, x, chosen):
    asked, words = logits[chosen], x[chosen]
    right = asked[torch.arange(len(words)), words]
    return (asked.logsumexp(dim=-1) - right).sum() / max(len(words), 1)


wrong(
    "all-in-number",
    says=(
        "Your sum leaves out the other positions, but you divide by all of them. Divide by the "
        "number of chosen positions."
    ),
    edit=("-asked.sum() / chosen.sum().clamp(min=1)", "-asked.mean()"),
)

wrong(
    "all-in-sum",
    says="All positions are in your sum, though you divide by the number of chosen positions.",
    edit=("-asked.sum()", "-right.sum()"),
)


@wrong(
    "all-places",
    "the mean over all positions",
    says=(
        "Your code counts all positions. At a position that is not chosen, the model sees "
        "the word that it would have to predict."
    ),
)
def masked_loss(logits, x, chosen):
    log_p = logits.log_softmax(dim=-1)
    return -log_p.gather(-1, x[..., None]).mean()


wrong(
    "bits",
    says="Your loss is in bits: take the natural logarithm.",
    edit=("logits.log_softmax(dim=-1)", "logits.log_softmax(dim=-1) / math.log(2)"),
)

wrong(
    "each-position",
    says="You return one loss for each position. Return their mean.",
    edit=("-asked.sum() / chosen.sum().clamp(min=1)", "-asked"),
)

wrong(
    "each-text",
    says="You return one loss for each text. Return one for the whole batch.",
    edit=(
        "-asked.sum() / chosen.sum().clamp(min=1)",
        "-asked.sum(dim=1) / chosen.sum(dim=1).clamp(min=1)",
    ),
)


@wrong("log-of-softmax", "the logarithm of a softmax", match="use log_softmax", loses=["large"])
def masked_loss(logits, x, chosen):
    p = logits.softmax(dim=-1).gather(-1, x[..., None])[..., 0]
    each = torch.where(chosen, -p.log(), 0.0)
    return each.sum() / chosen.sum().clamp(min=1)


wrong(
    "mean-of-all-means",
    says=(
        "This is the mean over texts of each text's own mean, so a position in a text with few "
        "chosen ones counts more. Every chosen position must count the same."
    ),
    edit=(
        "-asked.sum() / chosen.sum().clamp(min=1)",
        "-(asked.sum(dim=1) / chosen.sum(dim=1).clamp(min=1)).mean()",
    ),
)


@wrong(
    "mean-of-means",
    "the mean over texts of each text's mean",
    says=(
        "This is the mean over texts of each text's own mean, so a position in a text with "
        "few chosen ones counts more. Every chosen position must count the same."
    ),
)
def masked_loss(logits, x, chosen):
    log_p = logits.log_softmax(dim=-1)
    each = -log_p.gather(-1, x[..., None])[..., 0]
    n = chosen.sum(dim=1)
    means = (each * chosen).sum(dim=1) / n.clamp(min=1)
    return means.sum() / (n > 0).sum().clamp(min=1)


@wrong("nan", "the mean of nothing", match="You divide 0 by 0", loses=["none"])
def masked_loss(logits, x, chosen):
    log_p = logits.log_softmax(dim=-1)
    each = -log_p.gather(-1, x[..., None])[..., 0]
    return each[chosen].mean()


wrong(
    "no-log",
    says="The logarithm is missing: these are the probabilities themselves.",
    edit=("log_softmax", "softmax"),
)

wrong(
    "no-softmax",
    says="The softmax is missing: these are the logits themselves, not log-probabilities.",
    edit=("logits.log_softmax(dim=-1)", "logits"),
)

wrong(
    "not-chosen",
    says="You count the positions that are not chosen, and leave out the chosen ones.",
    edit=[
        ("torch.where(chosen, right, 0.0)", "torch.where(chosen, 0.0, right)"),
        ("chosen.sum()", "(~chosen).sum()"),
    ],
)

wrong(
    "over-positions",
    says="Your softmax runs over the positions. It must run over the vocabulary.",
    edit=("log_softmax(dim=-1)", "log_softmax(dim=1)"),
)

wrong(
    "perplexity",
    says="You take e to the power of the loss: that is the perplexity.",
    edit=(
        "-asked.sum() / chosen.sum().clamp(min=1)",
        "(-asked.sum() / chosen.sum().clamp(min=1)).exp()",
    ),
)


@wrong("plain-number", "a plain number comes back", match=r"through \.item")
def masked_loss(logits, x, chosen):
    log_p = logits[chosen].log_softmax(dim=-1)
    each = -log_p.gather(1, x[chosen][:, None])
    return each.sum().item() / max(1, len(each))


@wrong("ready-made", "calls PyTorch's cross-entropy", match="writes by hand")
def masked_loss(logits, x, chosen):
    labels = x.masked_fill(~chosen, -100)
    total = F.cross_entropy(logits.mT, labels, ignore_index=-100, reduction="sum")
    return total / chosen.sum().clamp(min=1)


wrong(
    "sign",
    says="The sign is wrong: this grows as the model gets better.",
    edit=("-asked.sum()", "asked.sum()"),
)

wrong(
    "sum",
    says="Your loss is the sum over the chosen positions. Return their mean.",
    edit=(" / chosen.sum().clamp(min=1)", ""),
)

wrong(
    "sums-of-texts",
    says=(
        "This is the sum over each text, averaged over the texts. Divide by the number of chosen "
        "positions."
    ),
    edit=("-asked.sum() / chosen.sum().clamp(min=1)", "-asked.sum(dim=1).mean()"),
)

broken("logits.log_softmax(dim=-1)", "(logits / 2).log_softmax(dim=-1)")
broken("torch.where(chosen, right, 0.0)", "torch.where(chosen, right, 0.001)")
broken("chosen.sum().clamp(min=1)", "chosen.any(dim=-1).sum().clamp(min=1)")
broken("x.unsqueeze(-1)", "x.flip(-1).unsqueeze(-1)")
