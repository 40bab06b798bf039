@right("one-by-one", "each sequence alone")
def mended_states(x, lengths, W, U, b):
    last = []
    for rows, length in zip(x, lengths.tolist()):
        h = x.new_zeros(len(b))
        for x_t in rows[len(rows) - length :]:
            h = torch.tanh(x_t @ W + h @ U + b)
        last.append(h)
    return torch.stack(last)


@right("padding-behind", "padding moved behind, then the position length - 1")
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    place = (torch.arange(T) + (T - lengths)[:, None]) % T
    moved = x.gather(1, place[:, :, None].expand_as(x))
    states = [h]
    for t in range(T):
        states.append(torch.tanh(moved[:, t] @ W + states[-1] @ U + b))
    return torch.stack(states, dim=1)[torch.arange(B), lengths]


@right("reset", "the state is cleared where the sequence begins")
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    start = T - lengths
    for t in range(T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        h = h * (t >= start)[:, None]
    return h


@wrong(
    "all-states",
    says="You return the states after all tokens. Return the last state of each sequence.",
)
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    states = []
    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where((t >= T - lengths)[:, None], new, h)
        states.append(h)
    return torch.stack(states, dim=1)


@wrong(
    "carried",
    "the state goes on from sequence to sequence",
    says=(
        "Your state goes on from one sequence to the next. Each sequence starts from a state of "
        "zeros."
    ),
)
def mended_states(x, lengths, W, U, b):
    h, last = torch.zeros_like(b), []
    for rows, length in zip(x, lengths.tolist()):
        for x_t in rows[len(rows) - length :]:
            h = torch.tanh(x_t @ W + h @ U + b)
        last.append(h)
    return torch.stack(last)


@wrong(
    "clears-the-batch",
    "clears the padding in the caller's batch",
    match="changes its input x",
    loses=["inputs"],
)
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    real = torch.arange(T) >= (T - lengths)[:, None]
    x *= real[:, :, None]
    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where(real[:, t, None], new, h)
    return h


@wrong(
    "empty-is-nan",
    "one sequence after another, with nothing for an empty one",
    match="IndexError|shape|raises",
    loses=["empty"],
)
def mended_states(x, lengths, W, U, b):
    last = []
    for rows, length in zip(x, lengths.tolist()):
        states, h = [], torch.zeros_like(b)
        for x_t in rows[len(rows) - length :]:
            h = torch.tanh(x_t @ W + h @ U + b)
            states.append(h)
        last.append(states[-1])
    return torch.stack(last)


@wrong("float32", "a state of 32 bits", match="dtype|float")
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    x, W, U, b = x.float(), W.float(), U.float(), b.float()
    h = torch.zeros(B, len(U))
    for t in range(T):
        new = torch.tanh(x[:, t] @ W + h @ U + b)
        h = torch.where((t >= T - lengths)[:, None], new, h)
    return h


wrong(
    "in-place",
    "shortens the lengths it was given",
    match="changes its input lengths",
    loses=["inputs"],
    edit=[
        ("for t in range(T):", "lengths -= T\n    for t in range(T):"),
        (
            "real = t >= T - lengths\n        h = torch.where(real[:, None], new, h)",
            "h = torch.where((t >= -lengths)[:, None], new, h)",
        ),
    ],
)


@wrong(
    "last-place",
    "fixes only the position, as the course did",
    says=(
        "You read the padding too. Even a row of zeros makes a new state, from h U and b. "
        "Each sequence must start from a state of zeros at its first token."
    ),
    loses=["padding", "empty"],
)
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return h


@wrong("library", "PyTorch's packed net", match="writes by hand")
def mended_states(x, lengths, W, U, b):
    net = torch.nn.RNN(W.shape[0], W.shape[1], batch_first=True)
    return net(x)[1][0]


@wrong(
    "no-bias-in-padding",
    "clears the tokens of the padding and reads on",
    says=(
        "You read the padding too. Even a row of zeros makes a new state, from h U and b. "
        "Each sequence must start from a state of zeros at its first token."
    ),
    loses=["padding", "empty"],
)
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    real = torch.arange(T) >= (T - lengths)[:, None]
    x = x * real[:, :, None]
    for t in range(T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return h


wrong(
    "off-by-one-early",
    "begins one row early",
    says=(
        "You read the padding too. Even a row of zeros makes a new state, from h U and b. "
        "Each sequence must start from a state of zeros at its first token."
    ),
    loses=["padding", "empty"],
    edit=(
        "real = t >= T - lengths\n        h = torch.where(real[:, None], new, h)",
        "h = torch.where((t >= T - lengths - 1)[:, None], new, h)",
    ),
)

wrong(
    "off-by-one-late",
    says="You leave out the first token of each sequence: its position is T - length.",
    edit=(
        "real = t >= T - lengths\n        h = torch.where(real[:, None], new, h)",
        "h = torch.where((t > T - lengths)[:, None], new, h)",
    ),
)

wrong(
    "padding-behind",
    "keeps to the lengths, from the wrong side",
    says="Your code assumes that the padding comes after the tokens. It comes before them.",
    spares=["same", "inputs"],
    edit=(
        "real = t >= T - lengths\n        h = torch.where(real[:, None], new, h)",
        "h = torch.where((t < lengths)[:, None], new, h)",
    ),
)


@wrong(
    "shortest",
    says=(
        "You read only as many tokens as the shortest sequence has. Each sequence has its own "
        "length."
    ),
    spares=["same", "inputs"],
)
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T - int(lengths.min()), T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return h


@wrong(
    "slice-of-minus-zero",
    "rows[-0:] is all rows",
    says=(
        "Your code reads rows of a sequence that has no tokens. Do you use a slice such as "
        "rows[-0:]? It is all rows."
    ),
    loses=["empty"],
)
def mended_states(x, lengths, W, U, b):
    last = []
    for rows, length in zip(x, lengths.tolist()):
        h = torch.zeros_like(b)
        for x_t in rows[-length:]:
            h = torch.tanh(x_t @ W + h @ U + b)
        last.append(h)
    return torch.stack(last)


@wrong(
    "unchanged",
    "the published code as it was",
    says=(
        "This is what `last_states` returns: the state at position length - 1. Where is "
        "the last token if the padding is in front?"
    ),
    spares=["same", "inputs"],
)
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))
    return last_states(x, lengths, W, U, b)


@wrong(
    "zero-rows",
    "takes rows of zeros for padding",
    says="A token may be a row of zeros: only the lengths say what is padding.",
    loses=["same", "empty"],
)
def mended_states(x, lengths, W, U, b):
    B, T, _ = x.shape
    h = x.new_zeros(B, len(U))

    for t in range(T):
        real = (x[:, t] != 0).any(dim=-1, keepdim=True)
        h = torch.where(real, torch.tanh(x[:, t] @ W + h @ U + b), h)
    return h


broken("real = t >= T - lengths", "real = t >= T - lengths.max()")
broken("torch.where(real[:, None], new, h)", "torch.where(real[:, None], new, b.tanh())")
broken("x[:, t] @ W", "x[:, -t] @ W")
