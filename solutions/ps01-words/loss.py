@right("logsumexp", "the logarithm of a softmax of s and 0; pair by pair")
def log_sigmoid(s):
    return s - torch.stack([s, torch.zeros_like(s)]).logsumexp(dim=0)


def negative_sampling_loss(w, v, negatives):
    losses = []
    for centre, context, drawn in zip(w, v, negatives):
        loss = -log_sigmoid(centre @ context)
        for n in drawn:
            loss = loss - log_sigmoid(-(centre @ n))
        losses.append(loss)
    return torch.stack(losses).mean()


@right("minimum", "min(s, 0) - log(1 + e^-|s|); bmm for the scores")
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    true = torch.einsum("bd,bd->b", w, v)
    drawn = torch.bmm(negatives, w.unsqueeze(-1)).squeeze(-1)
    return -log_sigmoid(true).mean() - log_sigmoid(-drawn).sum() / len(w)


@right("safe-where", "two branches, each with a harmless input")
def log_sigmoid(s):
    positive = s > 0
    above = torch.where(positive, s, 0.0)
    below = torch.where(positive, 0.0, s)
    return torch.where(
        positive, -torch.log1p(torch.exp(-above)), below - torch.log1p(torch.exp(below))
    )


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()


@right("plain", "the steps that the wrong answers below change", edited=True)
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()


wrong(
    "clamped-scores",
    says=(
        "You cut the scores off, so log σ stops falling and its slope is 0 there. Rewrite the "
        "formula so that it needs no limit."
    ),
    loses=["large", "gradients"],
    edit=(
        "return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "s = s.clamp(-30, 30)\n    return torch.sigmoid(s).log()",
    ),
)


@wrong(
    "detached", "numbers in place of tensors", match="no gradient flows back", loses=["gradients"]
)
def log_sigmoid(s):
    found = [min(x, 0.0) - math.log1p(math.exp(-abs(x))) for x in s.flatten().tolist()]
    return torch.tensor(found, dtype=s.dtype).view(s.shape)


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = (negatives * w[:, None, :]).sum(dim=-1)
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()


wrong(
    "each-pair",
    "a loss for each pair",
    says="You return one loss for each pair. Return their mean.",
    edit=(
        "-(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean()",
        "-(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1))",
    ),
)

wrong(
    "epsilon",
    says=(
        "You add a small number before the logarithm, so log σ stops falling and its slope is 0 "
        "there. Rewrite the formula so that it needs none."
    ),
    spares=["by-hand", "values"],
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "torch.log(torch.sigmoid(s) + 1e-9)",
    ),
)

wrong(
    "float32",
    "goes through 32 bits",
    match="float32, it must be float64",
    loses=["precision"],
    edit=(
        "return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "s32 = s.float()\n    return -torch.logaddexp(torch.zeros_like(s32), -s32)",
    ),
)

wrong(
    "kink-clamp",
    "clamp has a one-sided slope at 0",
    says=(
        "At exactly 0 your log σ has a kink, where PyTorch takes the slope of one side, 0 or 1. "
        "It must be 1/2: instead of clamp or relu, use torch.minimum, which splits the "
        "gradient, or torch.logaddexp, which has no kink."
    ),
    loses=["gradients"],
    edit=("torch.minimum(s, torch.zeros_like(s))", "s.clamp(max=0)"),
)

wrong(
    "kink-relu",
    "relu has a one-sided slope at 0",
    says=(
        "At exactly 0 your log σ has a kink, where PyTorch takes the slope of one side, 0 or 1. "
        "It must be 1/2: instead of clamp or relu, use torch.minimum, which splits the "
        "gradient, or torch.logaddexp, which has no kink."
    ),
    loses=["gradients"],
    edit=("torch.minimum(s, torch.zeros_like(s))", "-torch.relu(-s)"),
)

wrong(
    "library",
    "PyTorch's logsigmoid",
    match="`log_?sigmoid`.*writes by hand",
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "torch.nn.functional.logsigmoid(s)",
    ),
)


wrong(
    "log-argument",
    "of minus the score",
    says="This is log σ(-x), which falls with x. Return log σ(x), which grows.",
    edit=[
        ("def log_sigmoid(s):", ("def log_sigmoid(s):\n    s = -s")),
        ("(true) + log_sigmoid(-drawn)", "(-true) + log_sigmoid(drawn)"),
    ],
)


wrong(
    "log-sign",
    "minus the logarithm",
    says="The sign is wrong: σ(x) is below 1, so its logarithm is below 0.",
    edit=[
        (
            "torch.minimum(s, torch.zeros_like(s)) - torch.log1p",
            "-torch.minimum(s, torch.zeros_like(s)) + torch.log1p",
        ),
        (
            "-(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean",
            "(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean",
        ),
    ],
)

wrong(
    "log-softplus",
    says="This is log(1 + eˢ), which is -log σ(-s). Return log σ(s).",
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "torch.relu(s) + torch.log1p(torch.exp(-s.abs()))",
    ),
)


wrong(
    "mean-of-negatives",
    "mean over the negatives",
    says="Your loss takes the mean over the negatives. Add up a pair's negatives instead.",
    edit=("log_sigmoid(-drawn).sum", "log_sigmoid(-drawn).mean"),
)

wrong(
    "naive-exp",
    "log(1 + e^-s) computed literally",
    match="infinite or NaN",
    loses=["large", "gradients"],
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "-torch.log1p(torch.exp(-s))",
    ),
)

wrong(
    "naive",
    "the logarithm of the sigmoid",
    match="infinite or NaN.*no logarithm of the sigmoid",
    loses=["large", "gradients"],
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "torch.sigmoid(s).log()",
    ),
)

wrong(
    "negatives-and-context",
    says="You compare the negatives with the context. Compare them with the centre: w · n.",
    edit=("negatives * w[:, None, :]", "negatives * v[:, None, :]"),
)


wrong(
    "negatives-subtracted",
    says="Your code subtracts the negatives' part. Both parts of the loss have a minus.",
    edit=("log_sigmoid(true) + log_sigmoid(-drawn)", "log_sigmoid(true) - log_sigmoid(-drawn)"),
)


wrong(
    "negative-sign",
    "no minus in the negatives' sigmoid",
    says=(
        "The sign in the negatives' sigmoid is missing: their scores should become small, "
        "so it is σ(-w · n)."
    ),
    edit=("-drawn", "drawn"),
)

wrong(
    "no-logarithm",
    says="The logarithm is missing: σ(s) itself is a probability.",
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "torch.sigmoid(s)",
    ),
)


wrong(
    "no-negatives",
    "leaves the noise out",
    says="The negatives are missing from your loss.",
    edit=("log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)", "log_sigmoid(true)"),
)

wrong(
    "no-sigmoid",
    says="The sigmoid is missing: the scores themselves are added up.",
    edit=(
        "-(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean",
        "-(true - drawn.sum(dim=-1)).mean",
    ),
)


wrong(
    "no-true-word",
    says="The true word is missing from your loss.",
    edit=(
        "log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)",
        "log_sigmoid(-drawn).sum(dim=-1)",
    ),
)


wrong(
    "one-sigmoid",
    "sums the scores of the negatives first",
    says=(
        "Your negatives share one sigmoid: the sigmoid of a sum is not the product of "
        "sigmoids. Each negative has its own."
    ),
    edit=("log_sigmoid(-drawn).sum(dim=-1)", "log_sigmoid(-drawn.sum(dim=-1))"),
)


@wrong(
    "softmax",
    "a softmax over true word and negatives",
    says=(
        "This is a softmax over the true word and the negatives. Negative sampling asks "
        "for each word separately whether it is real: each has its own sigmoid."
    ),
)
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    words = torch.cat([v[:, None], negatives], dim=1)
    scores = (words * w[:, None]).sum(dim=-1)
    return -scores.log_softmax(dim=-1)[:, 0].mean()


wrong(
    "softplus",
    "PyTorch's softplus",
    match="`softplus`.*writes by hand",
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "-torch.nn.Softplus()(-s)",
    ),
)


@wrong(
    "squeeze",
    "squeeze takes every axis of length 1",
    match="stops with IndexError",
    loses=["by-hand", "values"],
)
def log_sigmoid(s):
    return torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))


def negative_sampling_loss(w, v, negatives):
    true = (w * v).sum(dim=-1)
    drawn = torch.bmm(negatives, w[:, :, None]).squeeze()
    return -(log_sigmoid(true) + log_sigmoid(-drawn).sum(1)).mean()


wrong(
    "sum",
    "sum over the pairs",
    says="Your loss is the sum over the pairs. Return their mean.",
    edit=(
        "-(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean",
        "-(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).sum",
    ),
)

wrong(
    "uphill",
    "the likelihood itself",
    says="The sign is wrong: this grows as the model gets better. The loss has a minus.",
    edit=(
        "-(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean",
        "(log_sigmoid(true) + log_sigmoid(-drawn).sum(dim=-1)).mean",
    ),
)

wrong(
    "where",
    "the branch not taken overflows",
    match="branches of a torch.where",
    loses=["gradients"],
    edit=(
        "torch.minimum(s, torch.zeros_like(s)) - torch.log1p(torch.exp(-s.abs()))",
        "torch.where(s > 0, -torch.log1p(torch.exp(-s)), s - torch.log1p(torch.exp(s)))",
    ),
)

broken("torch.zeros_like(s), -s", "torch.zeros_like(s), -s.abs()")
broken("negatives * w[:, None, :]", "negatives * v[:, None, :]")
broken("log_sigmoid(-drawn).sum(dim=-1)", "log_sigmoid(-drawn).amin(dim=-1)")
broken("return -log_likelihood.mean()", "return -log_likelihood.median()")
