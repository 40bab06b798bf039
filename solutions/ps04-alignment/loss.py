@right("flat", "all real positions of the batch in one row")
def sequence_loss(logits, target, pad):
    words = target[:, 1:].flatten()
    chosen = (words != pad).nonzero()[:, 0]
    said = logits.flatten(0, 1)[chosen]
    right = said[torch.arange(len(said)), words[chosen]]
    return (said.logsumexp(dim=1) - right).sum() / len(chosen)


@right("rows", "sentence by sentence")
def sequence_loss(logits, target, pad):
    total, count = 0.0, 0
    for said, words in zip(logits, target[:, 1:]):
        n = int((words != pad).sum())
        log_p = said[:n] - said[:n].logsumexp(dim=-1, keepdim=True)
        total = total - log_p[torch.arange(n), words[:n]].sum()
        count += n
    return total / count


@right("where", "zeros in place of padding")
def sequence_loss(logits, target, pad):
    says = target[:, 1:].unsqueeze(-1)
    log_p = logits.log_softmax(-1).gather(2, says)
    kept = torch.where(says == pad, 0.0, log_p)
    return -kept.sum() / (says != pad).sum()


wrong(
    "all-places",
    "divided by all positions, as a published textbook had it",
    told="divide by all positions",
    spares=["by-hand", "values"],
    edit=("right[real].mean", "right.where(real, 0.0).mean"),
)

wrong("bits", "in bits", edit=("[real].mean()", "[real].mean() / math.log(2)"))

wrong(
    "detached",
    "cut off from the logits",
    told="cut off",
    loses=["gradients"],
    edit=("logits.log_softmax", "logits.detach().log_softmax"),
)

wrong(
    "each-sentence",
    "one loss for each sentence",
    told="each sentence|shape",
    edit=("right[real].mean()", "right.where(real, 0.0).sum(dim=1) / real.sum(dim=1)"),
)

wrong(
    "each-word",
    "one loss for each word",
    told="loss for each word|loss for each sentence|shape",
    edit=("right[real].mean()", "right.where(real, 0.0)"),
)

wrong(
    "end-left-out",
    "the end of a sentence left out",
    told="end of a sentence|wrong|it must be",
    edit=("says != pad", "(says != pad) & (says != 2)"),
)

wrong(
    "epsilon",
    "a small number added before the logarithm",
    told="it must be",
    loses=["values", "large"],
    edit=("logits.log_softmax(dim=-1)", "(logits.softmax(dim=-1) + 1e-9).log()"),
)

wrong(
    "log-of-softmax",
    "logarithm of the softmax",
    told="log_softmax",
    loses=["large"],
    edit=("logits.log_softmax(dim=-1)", "logits.softmax(dim=-1).log()"),
)


@wrong("mean-of-means", "sentence means averaged", told="own mean", spares=["by-hand", "values"])
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    sums = right.where(real, 0.0).sum(dim=1)
    return -(sums / real.sum(dim=1)).mean()


wrong(
    "no-softmax",
    "logits for log-probabilities",
    told="softmax is missing|wrong",
    edit=("logits.log_softmax(dim=-1)", "logits"),
)

wrong(
    "number",
    "a plain number",
    told="expected a tensor|a tensor is expected",
    edit=("[real].mean()", "[real].mean().item()"),
)


@wrong("one-hot", "one-hot rows times log-probabilities", told="one-hot rows", loses=["padding"])
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    rows = torch.eye(logits.shape[-1], dtype=logits.dtype)[says]
    right = (rows * logits.log_softmax(dim=-1)).sum(dim=-1)
    real = says != pad
    return -right[real].mean()


wrong(
    "pad-is-zero",
    "padding assumed to be 0",
    told="always 0",
    loses=["padding"],
    edit=("says != pad", "says != 0"),
)

wrong(
    "padding-counts",
    "padding counted as words",
    told="counts the padding",
    spares=["by-hand", "values"],
    edit=("right[real].mean", "right.mean"),
)

wrong(
    "perplexity",
    "the perplexity",
    told="perplexity",
    edit=("-right[real].mean", "(-right[real].mean()).exp"),
)

wrong(
    "probabilities",
    "probabilities for their logarithms",
    told="logarithm is missing",
    edit=("logits.log_softmax", "logits.softmax"),
)


@wrong("ready-made-class", "the class of PyTorch", told="take the call out")
def sequence_loss(logits, target, pad):
    log_p = logits.log_softmax(dim=-1).flatten(0, 1)
    return torch.nn.NLLLoss(ignore_index=pad)(log_p, target[:, 1:].flatten())


@wrong("ready-made", "the cross-entropy of PyTorch", told="take the call out")
def sequence_loss(logits, target, pad):
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=pad
    )


wrong("sign", "no minus", told="sign is wrong", edit=("-right", "right"))

wrong(
    "softmax-axis",
    "softmax along the positions",
    told="Your softmax runs over the positions",
    edit=("dim=-1", "dim=1"),
)

wrong(
    "sum-of-sentence",
    "sums averaged over the sentences",
    told="averaged over the sentences",
    edit=("right[real].mean", "right.where(real, 0.0).sum(dim=1).mean"),
)

wrong(
    "sum",
    "the sum of all words",
    told="sum over the words|averaged over the sentences",
    edit=("[real].mean", "[real].sum"),
)

wrong(
    "times-zero",
    "padding multiplied by 0",
    told="leave these positions out",
    loses=["padding"],
    edit=("right[real].mean", "(right * real).sum() / real.sum"),
)

wrong(
    "unshifted-mask",
    "words not shifted, padding shifted",
    told="repeat|shift the target",
    edit=[("target[:, 1:]", "target[:, :-1]"), ("real = says", "real = target[:, 1:]")],
)

wrong(
    "unshifted",
    "the target is not shifted",
    told="repeat",
    edit=("target[:, 1:]", "target[:, :-1]"),
)

broken("real = says != pad", "real = target[:, :-1] != pad")
broken("-right[real].mean()", "-right[real].median()")
broken("logits.log_softmax(dim=-1)", "logits.flip(1).log_softmax(dim=-1)")
broken("logits.log_softmax(dim=-1)", "logits.clamp(max=20.0).log_softmax(dim=-1)")
