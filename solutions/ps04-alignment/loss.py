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
    says=(
        "You leave the padding out of the sum, but divide by the number of all positions. "
        "Divide by the number of real words."
    ),
    spares=["by-hand", "values"],
    edit=("right[real].mean", "right.where(real, 0.0).mean"),
)

wrong(
    "bits",
    "in bits",
    says="Your loss is in bits. Use the natural logarithm.",
    edit=("[real].mean()", "[real].mean() / math.log(2)"),
)

wrong(
    "detached",
    "cut off from the logits",
    match="cut off",
    loses=["gradients"],
    edit=("logits.log_softmax", "logits.detach().log_softmax"),
)

wrong(
    "each-sentence",
    "one loss for each sentence",
    says="You return one loss for each sentence. Return one for the whole batch.",
    edit=("right[real].mean()", "right.where(real, 0.0).sum(dim=1) / real.sum(dim=1)"),
)

wrong(
    "each-word",
    "one loss for each word",
    says="You return one loss for each word. Return their mean.",
    edit=("right[real].mean()", "right.where(real, 0.0)"),
)

wrong(
    "end-left-out",
    "the end of a sentence left out",
    says=(
        "The end of a sentence is left out. </s> must be predicted, too, or the model "
        "never learns to stop."
    ),
    edit=("says != pad", "(says != pad) & (says != 2)"),
)

wrong(
    "epsilon",
    says=(
        "You add a small number before the logarithm, and the loss of an unlikely word comes out "
        "too small. log_softmax needs no such number."
    ),
    loses=["values", "large"],
    edit=("logits.log_softmax(dim=-1)", "(logits.softmax(dim=-1) + 1e-9).log()"),
)

wrong(
    "log-of-softmax",
    "logarithm of the softmax",
    match="log_softmax",
    loses=["large"],
    edit=("logits.log_softmax(dim=-1)", "logits.softmax(dim=-1).log()"),
)


wrong(
    "mean-of-means",
    "sentence means averaged",
    says=(
        "This is the mean over sentences of each sentence's own mean, so a word of a short "
        "sentence counts more. Every real word must count the same."
    ),
    spares=["by-hand", "values"],
    edit=(
        "return -right[real].mean()",
        ("sums = right.where(real, 0.0).sum(dim=1)\n    return -(sums / real.sum(dim=1)).mean()"),
    ),
)


wrong(
    "no-softmax",
    "logits for log-probabilities",
    says="The softmax is missing: these are the logits themselves, not log-probabilities.",
    edit=("logits.log_softmax(dim=-1)", "logits"),
)

wrong(
    "number",
    "a plain number",
    match="expected a tensor|a tensor is expected",
    edit=("[real].mean()", "[real].mean().item()"),
)


@wrong("one-hot", "one-hot rows times log-probabilities", match="one-hot rows", loses=["padding"])
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    rows = torch.eye(logits.shape[-1], dtype=logits.dtype)[says]
    right = (rows * logits.log_softmax(dim=-1)).sum(dim=-1)
    real = says != pad
    return -right[real].mean()


wrong(
    "pad-is-zero",
    "padding assumed to be 0",
    says="Padding has the id `pad`, which is not always 0.",
    loses=["padding"],
    edit=("says != pad", "says != 0"),
)

wrong(
    "padding-counts",
    "padding counted as words",
    says=(
        "Your code counts the padding. It is not a word, so leave it out of the sum and "
        "out of the number that you divide by."
    ),
    spares=["by-hand", "values"],
    edit=("right[real].mean", "right.mean"),
)

wrong(
    "perplexity",
    "the perplexity",
    says="This is the perplexity, e to the power of the loss. Return the loss itself.",
    edit=("-right[real].mean", "(-right[real].mean()).exp"),
)

wrong(
    "probabilities",
    "probabilities for their logarithms",
    says="The logarithm is missing: these are the probabilities themselves.",
    edit=("logits.log_softmax", "logits.softmax"),
)


@wrong("ready-made-class", "the class of PyTorch", match="take the call out")
def sequence_loss(logits, target, pad):
    log_p = logits.log_softmax(dim=-1).flatten(0, 1)
    return torch.nn.NLLLoss(ignore_index=pad)(log_p, target[:, 1:].flatten())


@wrong("ready-made", "the cross-entropy of PyTorch", match="take the call out")
def sequence_loss(logits, target, pad):
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=pad
    )


wrong(
    "sign",
    "no minus",
    says="The sign is wrong: this grows as the model gets better.",
    edit=("-right", "right"),
)

wrong(
    "softmax-axis",
    "softmax along the positions",
    says="Your softmax runs over the positions. It must run over the vocabulary.",
    edit=("dim=-1", "dim=1"),
)

wrong(
    "sum-of-sentence",
    "sums averaged over the sentences",
    says=(
        "You take the sum over each sentence, then the mean over the sentences. Divide by the "
        "number of real words instead."
    ),
    edit=("right[real].mean", "right.where(real, 0.0).sum(dim=1).mean"),
)

wrong(
    "sum",
    "the sum of all words",
    says="Your loss is the sum over the words. Return their mean.",
    edit=("[real].mean", "[real].sum"),
)

wrong(
    "times-zero",
    "padding multiplied by 0",
    match="leave these positions out",
    loses=["padding"],
    edit=("right[real].mean", "(right * real).sum() / real.sum"),
)

wrong(
    "unshifted-mask",
    "words not shifted, padding shifted",
    says=(
        "You compare each prediction with the word just read, but find the padding by the next "
        "word. Shift the target by one for both: target[:, 1:]."
    ),
    edit=[("target[:, 1:]", "target[:, :-1]"), ("real = says", "real = target[:, 1:]")],
)

wrong(
    "unshifted",
    "the target is not shifted",
    says=(
        "You compare each prediction with the word just read, so the model would learn to "
        "repeat it. The prediction at position t is for word t + 1 of the target."
    ),
    edit=("target[:, 1:]", "target[:, :-1]"),
)

broken("real = says != pad", "real = target[:, :-1] != pad")
broken("-right[real].mean()", "-right[real].median()")
broken("logits.log_softmax(dim=-1)", "logits.flip(1).log_softmax(dim=-1)")
broken("logits.log_softmax(dim=-1)", "logits.clamp(max=20.0).log_softmax(dim=-1)")
