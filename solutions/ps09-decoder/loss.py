@right("rows", "row by row, with slices")
def windows(ids, T):
    starts = range(0, len(ids) - T, T)
    rows = [ids[s : s + T + 1] for s in starts]
    rows = torch.stack(rows)
    return rows[:, :-1], rows[:, 1:]


def lm_loss(logits, tokens, lengths):
    total, count = 0.0, 0
    for b, n in enumerate(lengths.tolist()):
        for t in range(n - 1):
            row = logits[b, t]
            total = total + row.logsumexp(-1) - row[tokens[b, t + 1]]
            count += 1
    return total / count


def per_byte(loss, predicted, n_bytes):
    return math.exp(loss) ** (predicted / n_bytes)


@right("unfold", "unfold, and a sum over positions that count")
def windows(ids, T):
    both = ids.unfold(0, T + 1, T)
    return both[:, :T], both[:, 1:]


def lm_loss(logits, tokens, lengths):
    B, T, V = logits.shape
    says = tokens.roll(-1, dims=1).reshape(-1)
    counts = (torch.arange(T) + 1 < lengths.unsqueeze(1)).reshape(-1)
    log_p = torch.log_softmax(logits, -1).reshape(B * T, V)
    each = log_p[torch.arange(B * T), says]
    each = torch.where(counts, each, torch.zeros_like(each))
    return -each.sum() / counts.sum()


def per_byte(loss, predicted, n_bytes):
    return torch.tensor(loss * predicted / n_bytes, dtype=torch.float64).exp().item()


wrong(
    "all-places",
    "divides by all positions",
    says=(
        "Your sum leaves out the padding, but you divide by all positions. Divide by the "
        "number of tokens that are predicted."
    ),
    loses=["tokens", "padding", "gradients"],
    edit=("right[real].mean", "torch.where(real, right, 0.0).mean"),
)

wrong(
    "backwards",
    says="You compare the logits at position t with the token before it. Use the token at t + 1.",
    spares=["windows", "per-byte"],
    edit=[
        ("logits[:, :-1]", "logits[:, 1:]"),
        ("tokens[:, 1:, None]", "tokens[:, :-1, None]"),
    ],
)

wrong(
    "bits",
    says="Your loss is in bits: take the natural logarithm.",
    spares=["windows", "per-byte"],
    edit=(".log_softmax(dim=-1)", ".softmax(dim=-1).log2()"),
)

wrong(
    "bits-per-byte",
    says="That is the number of bits per byte. Return the perplexity per byte.",
    loses=["per-byte"],
    edit=("math.exp(nats / n_bytes)", "nats / n_bytes / math.log(2)"),
)

wrong(
    "by-id",
    "padding known by the id of the last position",
    says=(
        "You recognise padding by its id. Here the end of a text has the same id, and it must be "
        "predicted. `lengths` says what is real."
    ),
    spares=["windows", "per-byte"],
    edit=(
        "place = torch.arange(1, tokens.shape[1])\n    real = place < lengths[:, None]",
        "real = tokens[:, 1:] != 0",
    ),
)

wrong(
    "by-lengths",
    says="You divide by all real tokens, but the first of each row is read and not predicted.",
    spares=["windows", "per-byte"],
    edit=("-right[real].mean()", "-right[real].sum() / lengths.sum()"),
)

wrong(
    "columns",
    says=(
        "Your text runs down the columns. A window is a row, with tokens that follow each other "
        "in the text."
    ),
    loses=["windows"],
    edit=[
        ("ids[: M * T].reshape(M, T)", "ids[: M * T].reshape(T, M).T"),
        ("ids[1 : M * T + 1].reshape(M, T)", "ids[1 : M * T + 1].reshape(T, M).T"),
    ],
)

wrong(
    "copies",
    says=(
        "Your target for a token is the token itself, so a model that copies would have no loss. "
        "The target is the token that follows."
    ),
    loses=["windows"],
    edit=("ids[1 : M * T + 1].reshape(M, T)", "ids[: M * T].reshape(M, T)"),
)

wrong(
    "last-token",
    says="The last real token of each row is left out. It is predicted, too.",
    spares=["windows", "per-byte"],
    edit=("place < lengths[:, None]", "place < lengths[:, None] - 1"),
)

wrong(
    "last-window",
    says="The last window is missing. It is complete, and so are its targets.",
    loses=["windows"],
    edit=("(len(ids) - 1) // T", "(len(ids) - 2) // T"),
)

wrong(
    "log-of-softmax",
    "the logarithm of a probability that may have been rounded to 0",
    match="loss is infinite",
    loses=["by-hand"],
    edit=[
        ("logits[:, :-1].log_softmax(dim=-1)", "logits[:, :-1].softmax(dim=-1).log()"),
        (
            "place = torch.arange(1, tokens.shape[1])\n    real = place < lengths[:, None]",
            "real = torch.arange(1, tokens.shape[1]) < lengths[:, None]",
        ),
    ],
)

wrong(
    "means-of-rows",
    "the mean over rows of their means",
    says=(
        "This is the mean over the rows of each row's own mean, so a token of a short text "
        "counts more. Every predicted token must count the same."
    ),
    loses=["tokens", "padding", "gradients"],
    edit=(
        "return -right[real].mean()",
        "rows = (right * real).sum(1) / real.sum(1)\n    return -rows.mean()",
    ),
)

wrong(
    "nats",
    says="That is the number of nats per byte. The perplexity is e to that power.",
    loses=["per-byte"],
    edit=("math.exp(nats / n_bytes)", "nats / n_bytes"),
)

wrong(
    "no-log",
    says="The logarithm is missing: these are the probabilities themselves.",
    spares=["windows", "per-byte"],
    edit=(".log_softmax(dim=-1)", ".softmax(dim=-1)"),
)

wrong(
    "no-softmax",
    says="The softmax is missing: these are the logits themselves, not log-probabilities.",
    spares=["windows", "per-byte"],
    edit=(".log_softmax(dim=-1)", ""),
)

wrong(
    "one-apart",
    says=(
        "Your windows begin one token apart. Each must begin where the last one ended, so that "
        "each token is predicted once."
    ),
    loses=["windows"],
    edit=[
        ("M = (len(ids) - 1) // T", "both = ids.unfold(0, T + 1, 1)"),
        ("ids[: M * T].reshape(M, T)", "both[:, :-1]"),
        ("ids[1 : M * T + 1].reshape(M, T)", "both[:, 1:]"),
    ],
)

wrong(
    "one-padding",
    says=(
        "You count one padding token in each row: of n tokens the first is read and n - 1 are "
        "predicted."
    ),
    loses=["tokens", "padding", "gradients"],
    edit=("torch.arange(1, tokens.shape[1])", "torch.arange(tokens.shape[1] - 1)"),
)

wrong(
    "over-positions",
    says="Your softmax runs over the positions. It must run over the vocabulary.",
    spares=["windows", "per-byte"],
    edit=(".log_softmax(dim=-1)", ".log_softmax(dim=1)"),
)

wrong(
    "padding",
    says=(
        "Your code counts the padding. There is nothing to predict there, so leave it out of the "
        "sum and out of the number that you divide by."
    ),
    loses=["tokens", "padding", "gradients"],
    edit=("right[real].mean", "right.mean"),
)

wrong(
    "per-token",
    says="That is the perplexity per token. Divide the nats of all tokens by the bytes.",
    loses=["per-byte"],
    edit=("nats / n_bytes", "loss"),
)

wrong(
    "perplexity",
    says="You take e to the power of the loss: that is the perplexity.",
    spares=["windows", "per-byte"],
    edit=("return -right[real].mean()", "return (-right[real].mean()).exp()"),
)

wrong(
    "perplexity-divided",
    says=(
        "You divide the perplexity by the bytes. Divide the nats by the bytes first, then take e "
        "to that power."
    ),
    loses=["per-byte"],
    edit=("math.exp(nats / n_bytes)", "math.exp(loss) * predicted / n_bytes"),
)

wrong(
    "power-of-two",
    says="The loss is in nats: take e to that power, not 2.",
    loses=["per-byte"],
    edit=("math.exp(nats / n_bytes)", "2 ** (nats / n_bytes)"),
)

wrong(
    "rolled",
    "each window's targets rolled round",
    says=(
        "The last target of a window is the window's own first token. It should be the next "
        "token of the text, the first of the next window."
    ),
    loses=["windows"],
    edit=(
        "targets = ids[1 : M * T + 1].reshape(M, T)\n    return inputs, targets",
        "return inputs, inputs.roll(-1, dims=1)",
    ),
)

wrong(
    "row-by-row",
    says="You return a loss for each row. Return one for the whole batch.",
    spares=["windows", "per-byte"],
    edit=(
        "-right[real].mean()",
        "-torch.where(real, right, 0.0).sum(1) / real.sum(1)",
    ),
)

wrong(
    "sign",
    says="The sign is wrong: this grows as the model gets better.",
    spares=["windows", "per-byte"],
    edit=("-right[real]", "right[real]"),
)

wrong(
    "sum",
    says="Your loss is the sum over the tokens. Return their mean.",
    spares=["windows", "per-byte"],
    edit=("right[real].mean", "right[real].sum"),
)

wrong(
    "sums-of-rows",
    says=(
        "This is the sum over a row, averaged over the rows. Divide by the number of tokens that "
        "are predicted."
    ),
    spares=["windows", "per-byte"],
    edit=("right[real].mean()", "torch.where(real, right, 0.0).sum(1).mean()"),
)

wrong(
    "swapped",
    says="Inputs and targets are swapped: the model would learn to predict what came before.",
    loses=["windows"],
    edit=("return inputs, targets", "return targets, inputs"),
)

wrong(
    "swapped-counts",
    says=(
        "Tokens and bytes are swapped. Loss times tokens gives the nats of the whole text: "
        "divide these by the bytes."
    ),
    loses=["per-byte"],
    edit=[
        ("nats = loss * predicted", "nats = loss * n_bytes"),
        ("nats / n_bytes", "nats / predicted"),
    ],
)

wrong(
    "token-itself",
    says=(
        "You compare the logits at position t with the token at position t. That token was "
        "already read, and a model that copies it would have no loss. Use the token at t + 1."
    ),
    spares=["windows", "per-byte"],
    edit=("tokens[:, 1:, None]", "tokens[:, :-1, None]"),
)


@wrong(
    "unshifted",
    "logits held against the token that was read",
    says=(
        "You compare the logits at position t with the token at position t. That token was "
        "already read, and a model that copies it would have no loss. Use the token at t + 1."
    ),
    spares=["windows", "per-byte"],
)
def windows(ids, T):
    M = (len(ids) - 1) // T
    inputs = ids[: M * T].reshape(M, T)
    targets = ids[1 : M * T + 1].reshape(M, T)
    return inputs, targets


def lm_loss(logits, tokens, lengths):
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, tokens[:, :, None])[:, :, 0]
    place = torch.arange(tokens.shape[1])
    real = place < lengths[:, None]
    return -right[real].mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(nats / n_bytes)


@wrong(
    "windows",
    "windows with T - 1 targets",
    says=(
        "Your windows have T - 1 targets: the first token of each window is never "
        "predicted. Take the target of its last token from the next window."
    ),
    loses=["windows"],
)
def windows(ids, T):
    M = len(ids) // T
    rows = ids[: M * T].reshape(M, T)
    return rows[:, :-1], rows[:, 1:]


def lm_loss(logits, tokens, lengths):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    right = log_p.gather(-1, tokens[:, 1:, None])[:, :, 0]
    place = torch.arange(1, tokens.shape[1])
    real = place < lengths[:, None]
    return -right[real].mean()


def per_byte(loss, predicted, n_bytes):
    nats = loss * predicted
    return math.exp(nats / n_bytes)


wrong(
    "without-number",
    says=(
        "The loss is a mean over the tokens. Multiply it by their number to get the nats of the "
        "whole text."
    ),
    loses=["per-byte"],
    edit=("nats = loss * predicted", "nats = loss"),
)

broken("M = (len(ids) - 1) // T", "M = len(ids) // T - 1")
broken("ids[1 : M * T + 1].reshape(M, T)", "ids[1 : M * T + 1].reshape(T, M).T")
broken("place < lengths[:, None]", "place < lengths[:, None] - 1")
broken("math.exp(nats / n_bytes)", "2 ** (nats / n_bytes)")
