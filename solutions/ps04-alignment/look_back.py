@right("exponentials", "exponentials of what is left of the largest real score")
def look_back(scores, H, lengths):
    places = torch.arange(scores.shape[1]).expand_as(scores)
    padding = places >= lengths.unsqueeze(1)
    lowest = torch.finfo(scores.dtype).min
    scores = torch.where(padding, lowest, scores)
    powers = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    weights = powers / powers.sum(dim=1, keepdim=True)
    return torch.einsum("bs,bsd->bd", weights, H), weights


@right("loop", "each sentence cut to its length")
def look_back(scores, H, lengths):
    contexts, rows = [], []
    for e, states, n in zip(scores, H, lengths.tolist()):
        a = e[:n].softmax(dim=0)
        contexts.append(a @ states[:n])
        rows.append(torch.cat([a, e.new_zeros(len(e) - n)]))
    return torch.stack(contexts), torch.stack(rows)


@right("lowest", "the lowest finite number")
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    lowest = torch.finfo(scores.dtype).min
    weights = torch.where(real, scores, lowest).softmax(dim=1)
    return (weights.unsqueeze(-1) * H).sum(dim=1), weights


wrong(
    "after-softmax",
    "padding taken out after the softmax",
    says=(
        "You mask the padding after the softmax, so the weights that are left no longer sum to "
        "1. Mask its scores before the softmax."
    ),
    spares=["by-hand", "values"],
    edit=(
        ("hidden = scores.masked_fill(~real, -torch.inf)\n    weights = hidden.softmax(dim=-1)"),
        "weights = scores.softmax(dim=-1) * real",
    ),
)


wrong(
    "axis-left",
    says="Your context keeps the axis of the one query, (B, 1, D). Take that axis away.",
    edit=("context[:, 0]", "context"),
)

wrong(
    "context-alone",
    "only the context comes back",
    match="2 results",
    edit=("context[:, 0], weights", "context[:, 0]"),
)

wrong(
    "detached",
    "weights cut off from the scores",
    match="gradient",
    loses=["gradients"],
    edit=("hidden.softmax(dim=-1)", "hidden.softmax(dim=-1).detach()"),
)

wrong(
    "divided",
    "divided by the length once more",
    says="Your context is divided by the number of states: the weights already sum to 1.",
    edit=("context[:, 0]", "context[:, 0] / lengths[:, None]"),
)

wrong(
    "float32",
    "everything in 32 bits",
    match="float32",
    loses=["values"],
    edit=[
        ("scores.masked_fill", "scores.float().masked_fill"),
        ("weights[:, None, :] @ H", "weights[:, None, :] @ H.float()"),
    ],
)

wrong(
    "hardest",
    "the state with the largest weight",
    says=(
        "Your context is the state with the largest weight. It must be the weighted "
        "average of all states."
    ),
    edit=(
        "context = weights[:, None, :] @ H\n    return context[:, 0], weights",
        "return H[torch.arange(len(H)), weights.argmax(dim=-1)], weights",
    ),
)

wrong(
    "inverted",
    "the real words hidden",
    says="The mask is the wrong way round: the padding is seen and the real states are hidden.",
    edit=("~real", "real"),
)

wrong(
    "inverted-finite",
    says="The mask is the wrong way round: the padding is seen and the real states are hidden.",
    edit=("scores.masked_fill(~real, -torch.inf)", "scores.masked_fill(real, -1e9)"),
)


wrong(
    "longest",
    "all taken to be as long as the longest",
    says=(
        "Your code gives weight to padding, where nothing was read. Set its scores to -∞ "
        "before the softmax."
    ),
    spares=["by-hand", "values"],
    edit=("lengths[:, None]", "lengths.max()"),
)


wrong(
    "mean-of-real",
    "the plain mean of the real states",
    says="The weights are not applied: your context is the plain mean of the real states.",
    edit=(
        ("context = weights[:, None, :] @ H\n    return context[:, 0], weights"),
        ("states = H * real[:, :, None]\n    return states.sum(dim=1) / lengths[:, None], weights"),
    ),
)


wrong(
    "mean",
    "the plain mean of the states",
    says="The weights are not applied: your context is the plain mean of all positions.",
    edit=(
        "context = weights[:, None, :] @ H\n    return context[:, 0], weights",
        "return H.mean(dim=1), weights",
    ),
)

wrong(
    "minus-nine",
    "a finite replacement that is not low enough",
    says=(
        "You replace the scores of the padding by a finite number, and a real score can be "
        "as low. It must be -∞."
    ),
    loses=["large"],
    edit=("torch.inf", "1e3"),
)


@wrong("naive-exp", "exponentials of large scores", match="exp", loses=["large"])
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    powers = scores.exp() * real
    weights = powers / powers.sum(dim=-1, keepdim=True)
    context = weights[:, None, :] @ H
    return context[:, 0], weights


wrong(
    "no-mask",
    "padding left in",
    says=(
        "Your code gives weight to padding, where nothing was read. Set its scores to -∞ "
        "before the softmax."
    ),
    spares=["by-hand", "values"],
    edit=(
        ("hidden = scores.masked_fill(~real, -torch.inf)\n    weights = hidden.softmax(dim=-1)"),
        "weights = scores.softmax(dim=-1)",
    ),
)


wrong(
    "no-softmax",
    "scores as weights",
    says="The softmax is missing: your weights are the scores.",
    edit=(
        ("hidden = scores.masked_fill(~real, -torch.inf)\n    weights = hidden.softmax(dim=-1)"),
        "weights = scores * real",
    ),
)


wrong(
    "not-summed",
    "the weighted states not added up",
    says="Your context is not summed over the source: it must be one vector for each sentence.",
    edit=(
        "context = weights[:, None, :] @ H\n    return context[:, 0], weights",
        "return weights[:, :, None] * H, weights",
    ),
)

wrong(
    "one-too-few",
    "the last word hidden",
    says="Your mask allows one position too few: a source of n words fills positions 0 to n - 1.",
    edit=("place < lengths", "place < (lengths - 1).clamp(min=1)"),
)

wrong(
    "one-too-many",
    "one position of padding seen",
    says="Your mask allows one position too many: a source of n words fills positions 0 to n - 1.",
    spares=["by-hand", "values"],
    edit=("place < lengths", "place <= lengths"),
)

wrong(
    "over-batch",
    "softmax over the sentences",
    says=(
        "Your weights sum to 1 over the sentences of the batch, not over the source: which "
        "dimension does your softmax run over?"
    ),
    edit=("dim=-1", "dim=0"),
)

wrong(
    "padding-first",
    "padding assumed to come first",
    says="Your code puts the padding first. The real states come first.",
    spares=["by-hand", "values"],
    edit=("place < lengths", "place >= scores.shape[1] - lengths"),
)


@wrong(
    "renormalised",
    "taken out after the softmax and divided by what is left",
    match="next to nothing is left",
    loses=["large"],
)
def look_back(scores, H, lengths):
    place = torch.arange(scores.shape[1])
    real = place < lengths[:, None]
    weights = scores.softmax(dim=-1) * real
    weights = weights / weights.sum(dim=-1, keepdim=True)
    context = weights[:, None, :] @ H
    return context[:, 0], weights


wrong(
    "scores-returned",
    "scores returned for weights",
    says="You return the scores, before the softmax, as the weights.",
    spares=["gradients"],
    edit=("context[:, 0], weights", "context[:, 0], scores"),
)

wrong(
    "shortest",
    "all cut to the shortest",
    says="Your code cuts all sources to the shortest of the batch.",
    spares=["by-hand", "values"],
    edit=("lengths[:, None]", "lengths.min()"),
)


wrong(
    "states-blanked",
    "states of padding blanked out",
    says=(
        "You set the states of the padding to zero, but they still take their share of the "
        "weight. Mask their scores instead."
    ),
    spares=["by-hand", "values"],
    edit=(
        ("hidden = scores.masked_fill(~real, -torch.inf)\n    weights = hidden.softmax(dim=-1)"),
        ("weights = scores.softmax(dim=-1)\n    H = H * real[:, :, None]"),
    ),
)


wrong(
    "sum",
    says="The weights are not applied: your context is the plain sum of the states.",
    edit=(
        "context = weights[:, None, :] @ H\n    return context[:, 0], weights",
        "return H.sum(dim=1), weights",
    ),
)


wrong(
    "zero-scores",
    "scores of padding multiplied by 0",
    says=(
        "Your code sets the scores of the padding to 0, and exp(0) = 1 is not a small "
        "weight. Set them to -∞."
    ),
    spares=["by-hand", "values"],
    edit=(
        ("hidden = scores.masked_fill(~real, -torch.inf)\n    weights = hidden.softmax(dim=-1)"),
        "weights = (scores * real).softmax(dim=-1)",
    ),
)


broken("place < lengths[:, None]", "place < lengths.flip(0)[:, None]")
broken("hidden.softmax(dim=-1)", "(-hidden).softmax(dim=-1).nan_to_num()")
broken("weights[:, None, :] @ H", "weights[:, None, :] @ H.roll(1, 1)")
broken("hidden.softmax(dim=-1)", "hidden.softmax(dim=-1).round(decimals=3)")
