@right("alone", "each source by itself, with begin")
def mended_begin(X, lengths, W_x, W_h, b):
    found = []
    for x, n in zip(X, lengths.tolist()):
        one = x[None, :n]
        state, context, weights = begin(one, torch.tensor([n]), W_x, W_h, b)
        rest = weights.new_zeros(1, len(x) - n)
        found.append((state, context, torch.cat([weights, rest], dim=1)))
    return tuple(torch.cat(part) for part in zip(*found))


@right("picked", "all states first, the last real ones picked")
def mended_begin(X, lengths, W_x, W_h, b):
    h, states = torch.zeros_like(X[:, 0] @ W_x), []
    for t in range(X.shape[1]):
        h = torch.tanh(X[:, t] @ W_x + h @ W_h + b)
        states.append(h)
    H = torch.stack(states, dim=1)
    state = H[torch.arange(len(H)), lengths - 1]
    padding = torch.arange(H.shape[1]) >= lengths[:, None]
    scores = torch.einsum("bsd,bd->bs", H, state)
    weights = torch.where(padding, torch.finfo(X.dtype).min, scores).softmax(dim=1)
    return state, torch.einsum("bs,bsd->bd", weights, H), weights


wrong(
    "after-softmax",
    "padding taken out after the softmax",
    says=(
        "You mask the padding after the softmax, so the weights that are left no longer sum to "
        "1. Mask its scores before the softmax."
    ),
    loses=["weights", "context"],
    edit=("scores.masked_fill(~real, -torch.inf).softmax(dim=-1)", "scores.softmax(dim=-1) * real"),
)


@wrong(
    "all-rows",
    "picks positions from all sentences",
    says=(
        "H[:, lengths - 1] picks all of these positions from every sentence. Pair each sentence "
        "with its own: H[torch.arange(B), lengths - 1]."
    ),
    spares=["same", "inputs"],
)
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x in X.unbind(dim=1):
        state = torch.tanh(x @ W_x + state @ W_h + b)
        states.append(state)
    H = torch.stack(states, dim=1)
    state = H[:, lengths - 1].mean(dim=1)
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    return state, (weights[:, :, None] * H).sum(dim=1), weights


wrong(
    "cut-to-shortest",
    says=(
        "You cut all sources to the length of the shortest. Each has its own length: compare with "
        "lengths[:, None]."
    ),
    spares=["same", "inputs"],
    edit=(
        "torch.arange(X.shape[1]) < lengths[:, None]",
        "(torch.arange(X.shape[1]) < lengths.min()).expand(X.shape[:2])",
    ),
)


@wrong("in-place", "padding in X overwritten", match="changes its input X", loses=["inputs"])
def mended_begin(X, lengths, W_x, W_h, b):
    found = []
    for x, n in zip(X, lengths.tolist()):
        x[n:] = 0.0
        state, context, weights = begin(x[None, :n], torch.tensor([n]), W_x, W_h, b)
        rest = weights.new_zeros(1, len(x) - n)
        found.append((state, context, torch.cat([weights, rest], dim=1)))
    return tuple(torch.cat(part) for part in zip(*found))


@wrong(
    "last-blanked",
    "the last position after blanking",
    says=(
        "You take the state at the last position of the batch after setting padding to "
        "zero, so a short source starts with zeros. Take the state after its last real "
        "word."
    ),
    spares=["same", "inputs"],
)
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x in X.unbind(dim=1):
        state = torch.tanh(x @ W_x + state @ W_h + b)
        states.append(state)
    H = torch.stack(states, dim=1) * real[:, :, None]
    state = H[:, -1]
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    return state, (weights[:, :, None] * H).sum(dim=1), weights


@wrong(
    "mean-state",
    "the mean of the real states",
    says="You average the states. The decoder starts from the state after the last real word.",
)
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x in X.unbind(dim=1):
        state = torch.tanh(x @ W_x + state @ W_h + b)
        states.append(state)
    H = torch.stack(states, dim=1)
    state = (H * real[:, :, None]).sum(dim=1) / lengths[:, None]
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    return state, (weights[:, :, None] * H).sum(dim=1), weights


wrong(
    "no-recurrence",
    says="Your states do not use the state before: the term with W_h is missing.",
    edit=("state @ W_h + b", "b"),
)


@wrong("off-the-end", "the position after the last word", match="stops with IndexError")
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x in X.unbind(dim=1):
        state = torch.tanh(x @ W_x + state @ W_h + b)
        states.append(state)
    H = torch.stack(states, dim=1)
    state = H[torch.arange(len(H)), lengths]
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    return state, (weights[:, :, None] * H).sum(dim=1), weights


@wrong(
    "one-too-early",
    "the state before the last word",
    says="You take the state before the last word. The last of n words is at position n - 1.",
)
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x in X.unbind(dim=1):
        state = torch.tanh(x @ W_x + state @ W_h + b)
        states.append(state)
    H = torch.stack(states, dim=1)
    state = H[torch.arange(len(H)), (lengths - 2).clamp(min=0)]
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    return state, (weights[:, :, None] * H).sum(dim=1), weights


@wrong(
    "one-too-far",
    "the state after one padding",
    says="Your state has already read one padding token. The last of n words is at position n - 1.",
    spares=["same", "inputs"],
)
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x in X.unbind(dim=1):
        state = torch.tanh(x @ W_x + state @ W_h + b)
        states.append(state)
    H = torch.stack(states, dim=1)
    state = H[torch.arange(len(H)), lengths.clamp(max=H.shape[1] - 1)]
    scores = (H * state[:, None, :]).sum(dim=-1)
    weights = scores.masked_fill(~real, -torch.inf).softmax(dim=-1)
    return state, (weights[:, :, None] * H).sum(dim=1), weights


@wrong(
    "only-state",
    "padding still gets weight, as zeros",
    says=(
        "The state is right now, but padding still gets weight: a state of zeros has the score "
        "0, and exp(0) = 1. Mask its scores before the softmax."
    ),
    loses=["weights", "context"],
)
def mended_begin(X, lengths, W_x, W_h, b):
    real = torch.arange(X.shape[1]) < lengths[:, None]
    state, states = X.new_zeros(len(X), len(W_h)), []
    for x, reads in zip(X.unbind(dim=1), real.unbind(dim=1)):
        new = torch.tanh(x @ W_x + state @ W_h + b)
        state = torch.where(reads[:, None], new, state)
        states.append(state)
    H = torch.stack(states, dim=1)
    scores = (H * state[:, None, :]).sum(dim=-1)
    H = H * real[:, :, None]
    scores = scores * real
    weights = scores.softmax(dim=-1)
    context = (weights[:, :, None] * H).sum(dim=1)
    return state, context, weights


wrong(
    "only-weights",
    "the state still reads padding",
    says=(
        "The weights leave out the padding now, but you still return the state after the "
        "padding, or use it as the query. Take the state after the last real word."
    ),
    spares=["same", "inputs"],
    edit=("torch.where(reads[:, None], new, state)", "new"),
)

wrong(
    "order",
    says="Your results are in another order: return the state, the context, the weights.",
    spares=["weights", "inputs"],
    edit=("state, context", "context, state"),
)

wrong(
    "state-after-real-only",
    "the weights ask with the padded state",
    says=(
        "The weights leave out the padding now, but you still return the state after the "
        "padding, or use it as the query. Take the state after the last real word."
    ),
    loses=["weights", "context"],
    edit=("* state", "* new"),
)

wrong(
    "states-left",
    "padding still gets weight, as the last state again",
    says=(
        "The state is right now, but padding still gets weight as if it were words. Mask its "
        "scores before the softmax."
    ),
    loses=["weights", "context"],
    edit=("scores.masked_fill(~real, -torch.inf).softmax", "scores.softmax"),
)


@wrong(
    "unchanged",
    "begin as it was",
    says=(
        "Nothing has changed: you return the state after the padding, and padding still "
        "gets weight."
    ),
    spares=["same", "inputs"],
)
def mended_begin(X, lengths, W_x, W_h, b):
    return begin(X, lengths, W_x, W_h, b)


broken("torch.where(reads[:, None], new, state)", "torch.where(reads[:, None], state, new)")
broken("(weights[:, :, None] * H).sum(dim=1)", "(weights[:, :, None] * H).mean(dim=1)")
broken("scores.masked_fill(~real, -torch.inf)", "scores.masked_fill(~real, 0.0)")
broken("x @ W_x + state @ W_h + b", "x @ W_x + state @ W_h.T + b")
