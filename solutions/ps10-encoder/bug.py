@right("rows", "losses and weights in rows of one shape")
def mended_loss(logits, words, weights, follows, truth):
    V = logits.shape[-1]
    log_p = logits.reshape(-1, V).log_softmax(dim=-1)
    each = -log_p[torch.arange(len(log_p)), words.reshape(-1)]
    of_words = each @ weights.reshape(-1) / (weights.sum() + 1e-8)
    says = follows.log_softmax(dim=-1)
    return of_words, -says[torch.arange(len(truth)), truth].mean()


@right("slots-picked", "the slots in use alone, known by their words")
def mended_loss(logits, words, weights, follows, truth):
    used = words != PAD
    if used.any():
        of_words = mean_nll(logits[used], words[used])
    else:
        of_words = logits.sum() * 0.0
    return of_words, mean_nll(follows, truth)


wrong(
    "all-slots",
    says=(
        "Your sum leaves out the empty slots, but you divide by all slots. Divide by the number "
        "of slots in use."
    ),
    spares=["next"],
    edit=("(each * weights).sum() / n", "(each * weights).mean()"),
)

wrong(
    "empty-slots",
    says="You count the empty slots, and leave out those in use.",
    spares=["next"],
    edit=[
        ("weights.sum().clamp(min=1)", "(1 - weights).sum().clamp(min=1)"),
        ("(each * weights)", "(each * (1 - weights))"),
    ],
)

wrong(
    "mean-of-means",
    says=(
        "This is the mean over texts of each text's own mean. Every slot in use must count the "
        "same."
    ),
    spares=["next"],
    edit=[
        ("weights.sum().clamp(min=1)", "weights.sum(dim=1).clamp(min=1)"),
        ("(each * weights).sum() / n", "((each * weights).sum(dim=1) / n).mean()"),
    ],
)


@wrong(
    "nan",
    "padding ignored by its id, NaN where no slot is in use",
    match="You divide 0 by 0",
    loses=["none"],
)
def mended_loss(logits, words, weights, follows, truth):
    V = logits.shape[-1]
    of_words = mean_nll(logits.reshape(-1, V), words.reshape(-1), ignored=PAD)
    return of_words, mean_nll(follows, truth)


wrong(
    "only-next",
    says=(
        "That is what `published_loss` returns. Once the mean over all slots is taken, no factor "
        "can remove the empty slots. Leave them out before you take the mean."
    ),
    spares=["next"],
    edit=(
        "of_words = (each * weights).sum() / n",
        "of_words, _ = published_loss(logits, words, weights, follows, truth)",
    ),
)


@wrong(
    "only-words",
    "the words' loss is fixed, the second question's is not",
    says=(
        "You still ignore the answer 0, as `published_loss` does. 0 means padding among "
        "the words, but among the answers it means that the second text does not follow."
    ),
    spares=["words"],
)
def mended_loss(logits, words, weights, follows, truth):
    log_p = logits.log_softmax(dim=-1)
    each = -log_p.gather(-1, words[..., None])[..., 0]
    of_words = (each * weights).sum() / weights.sum().clamp(min=1)
    return of_words, mean_nll(follows, truth, ignored=PAD)


wrong(
    "sum",
    says="Your loss of the words is a sum. Divide it by the number of slots in use.",
    spares=["next"],
    edit=("(each * weights).sum() / n", "(each * weights).sum()"),
)

wrong(
    "sums-of-texts",
    says=(
        "This is the sum over each text, averaged over the texts. Divide by the number of slots "
        "in use."
    ),
    spares=["next"],
    edit=("(each * weights).sum() / n", "(each * weights).sum(dim=1).mean()"),
)

wrong(
    "swapped",
    says="The two losses are swapped. Return the loss of the words first.",
    edit=("return of_words, of_next", "return of_next, of_words"),
)


@wrong(
    "table",
    "no mean any more, but a row of losses times a column of weights",
    says=(
        "What is the shape of your product? N losses (N,) times weights (N, 1) broadcast "
        "to (N, N), so every loss meets every weight. Give both the same shape."
    ),
    spares=["next"],
)
def mended_loss(logits, words, weights, follows, truth):
    V = logits.shape[-1]
    log_p = logits.reshape(-1, V).log_softmax(dim=-1)
    loss = -log_p.gather(1, words.reshape(-1, 1))[:, 0]
    loss = loss * weights.reshape(-1, 1)
    of_words = loss.sum() / (weights.sum() + 1e-8)
    return of_words, mean_nll(follows, truth)


@wrong(
    "unchanged",
    "the published code as it was",
    says=(
        "That is what `published_loss` returns, in both losses. The words' loss is a mean over all "
        "slots, the empty ones too, and the second question ignores the answer 0."
    ),
)
def mended_loss(logits, words, weights, follows, truth):
    return published_loss(logits, words, weights, follows, truth)


broken("weights.sum().clamp(min=1)", "weights.sum() + 1")
broken("(each * weights).sum() / n", "(each * weights).sum() / n.sqrt()")
broken("mean_nll(follows, truth)", "mean_nll(follows, truth, ignored=1)")
