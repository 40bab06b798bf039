@right("moved", "moves every prompt to the front")
def mended_next(tokens, real, w):
    B, T = tokens.shape
    first = real.int().argmax(1)
    at = (torch.arange(T) + first[:, None]) % T
    tokens, n = tokens.gather(1, at), real.sum(1)
    real = torch.arange(T) < n[:, None]
    x = w["E"][tokens] + w["P"][:T]
    Q, K, V = (x @ w[name] for name in ("W_Q", "W_K", "W_V"))
    q = Q[torch.arange(B), n - 1]
    scores = (K @ q[:, :, None])[:, :, 0] / math.sqrt(K.shape[-1])
    weights = scores.masked_fill(~real, -math.inf).softmax(-1)
    found = (weights[:, None] @ V)[:, 0] @ w["W_O"]
    return (x[torch.arange(B), n - 1] + found) @ w["E"].T


@right("one-by-one", "each prompt alone")
def mended_next(tokens, real, w):
    rows = []
    for ids, mask in zip(tokens, real):
        prompt = ids[mask][None]
        rows.append(published_next(prompt, prompt >= 0, w))
    return torch.cat(rows)


wrong(
    "from-one",
    "positions from 1",
    says="Your positions begin with 1: the first real token is at position 0.",
    edit=(
        "place = (real.long().cumsum(dim=1) - 1).clamp(min=0)",
        "place = real.long().cumsum(dim=1)",
    ),
)

wrong(
    "last-alone",
    "only the position to read from is mended",
    says=(
        "You read at the last real token now, but padding in front still takes up "
        "positions. Count only real tokens."
    ),
    spares=["behind", "same"],
    edit=('["P"][place]', '["P"][:T]'),
)

wrong(
    "number",
    says=(
        "You read at position n - 1 of the batch, where n is the number of real tokens. With "
        "padding in front, the last real token comes later."
    ),
    spares=["behind", "same"],
    edit=("last = (real * torch.arange(T)).argmax(dim=1)", "last = real.sum(dim=1) - 1"),
)

wrong(
    "places-alone",
    "only the positions are mended",
    says=(
        "The positions are right now, but you read at the last position of the batch, "
        "which may be padding."
    ),
    spares=["front", "same"],
    edit=("y[torch.arange(len(y)), last]", "y[:, -1]"),
)

wrong(
    "seen",
    says="Your tokens attend to padding. It must get no weight.",
    spares=["behind", "same"],
    edit=(".tril() & real[:, None]", ".tril()"),
)


@wrong(
    "unchanged",
    "as it was",
    says=(
        "This is what `published_next` does: padding takes up positions, and the result is "
        "read at the last position, even if it is padding."
    ),
    spares=["same"],
)
def mended_next(tokens, real, w):
    return published_next(tokens, real, w)


broken("real.long().cumsum(dim=1) - 1", "real.long().cumsum(dim=1) // 2")
broken("(real * torch.arange(T)).argmax(dim=1)", "real.long().argmax(dim=1)")
broken("& real[:, None]", "& real[:, :, None]")
