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
    "by-id",
    "padding known by the id of the last position",
    says=(
        "Each of these mistakes gives the same numbers here:\n- The last real token of "
        "each row is left out. It is predicted, too.\n- You recognise padding by its id. "
        "Here the end of a text has the same id, and it must be predicted. `lengths` says "
        "what is real."
    ),
    spares=["windows", "per-byte"],
    edit=(
        "place = torch.arange(1, tokens.shape[1])\n    real = place < lengths[:, None]",
        "real = tokens[:, 1:] != 0",
    ),
)

wrong(
    "log-of-softmax",
    "the logarithm of a probability that may have been rounded to 0",
    told="loss is infinite",
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
    "rolled",
    "each window's targets rolled round, and a perplexity per token",
    says=(
        "The last target of a window is the window's own first token. It should be the "
        "next token of the text, the first of the next window."
    ),
    loses=["windows", "per-byte"],
    edit=[
        (
            "targets = ids[1 : M * T + 1].reshape(M, T)\n    return inputs, targets",
            "return inputs, inputs.roll(-1, dims=1)",
        ),
        ("nats / n_bytes", "loss"),
    ],
)


@wrong(
    "unshifted",
    "logits held against the token that was read",
    says=(
        "You compare the logits at position t with the token at position t: that one was "
        "read already, and a model that copies has no loss. They are for the token at t + "
        "1."
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


broken("M = (len(ids) - 1) // T", "M = len(ids) // T - 1")
broken("ids[1 : M * T + 1].reshape(M, T)", "ids[1 : M * T + 1].reshape(T, M).T")
broken("place < lengths[:, None]", "place < lengths[:, None] - 1")
broken("math.exp(nats / n_bytes)", "2 ** (nats / n_bytes)")
