@right("joined", "token and state side by side, sigmoid as a tanh")
def lstm_step(x_t, h, c, W, U, b):
    both = torch.cat([x_t, h], dim=1) @ torch.cat([W, U]) + b
    i, f, g, o = both.unflatten(1, (4, -1)).unbind(1)
    i, f, o = ((torch.tanh(s / 2) + 1) / 2 for s in (i, f, o))
    c = torch.addcmul(f * c, i, g.tanh())
    return o * c.tanh(), c


@right("one-by-one", "sequence by sequence")
def lstm_step(x_t, h, c, W, U, b):
    states, held = [], []
    for x, state, cell in zip(x_t, h, c):
        i, f, g, o = torch.split(x @ W + state @ U + b, len(state))
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        held.append(cell)
        states.append(o.sigmoid() * cell.tanh())
    return torch.stack(states), torch.stack(held)


@right("slices", "each gate from its own columns")
def lstm_step(x_t, h, c, W, U, b):
    n = h.shape[-1]

    def sums(k):
        block = slice(k * n, (k + 1) * n)
        return x_t @ W[:, block] + h @ U[:, block] + b[block]

    i, f, o = (torch.sigmoid(sums(k)) for k in (0, 1, 3))
    g = torch.tanh(sums(2))
    new = f * c + i * g
    return o * torch.tanh(new), new


@right("plain", "the steps that the wrong answers below change", edited=True)
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


wrong(
    "cell-for-state",
    "gates look at the cell",
    says="Your gates use the cell. U multiplies the state h.",
    spares=["carried", "inputs"],
    edit=("W + h", "W + c"),
)

wrong(
    "coupled-input",
    "forgets as much as it lets in",
    says="You use 1 - i as the forget gate. f is a separate gate.",
    spares=["carried", "inputs"],
    edit=("torch.sigmoid(f)", "(1 - torch.sigmoid(i))"),
)

wrong(
    "coupled",
    "one gate for both, as in a GRU",
    says="You use 1 - f as the input gate, as a GRU would. i is a separate gate.",
    spares=["carried", "inputs"],
    edit=("torch.sigmoid(i)", "(1 - torch.sigmoid(f))"),
)

wrong(
    "detached",
    "cuts the cell off",
    match="gradient",
    loses=["gradients"],
    edit=("c + torch.sigmoid", "c.detach() + torch.sigmoid"),
)


@wrong(
    "float32",
    "converts to 32 bits",
    match="float32, it must be float64",
    loses=["values", "state", "gradients"],
)
def lstm_step(x_t, h, c, W, U, b):
    x_t, h, c, W, U, b = (v.float() for v in (x_t, h, c, W, U, b))
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


wrong(
    "forget-bias",
    "adds 1 to the forget gate",
    says=(
        "You add 1 to the forget gate's sum. That belongs to the initial bias, not to the formula."
    ),
    spares=["carried", "inputs"],
    edit=("torch.sigmoid(f)", "torch.sigmoid(f + 1)"),
)

wrong(
    "forget-turned",
    "1 - f keeps",
    says="The forget gate is inverted: if f is 1, the cell is kept.",
    edit=("torch.sigmoid(f)", "(1 - torch.sigmoid(f))"),
)

wrong(
    "forgets",
    "forgets the cell",
    says="The new cell does not use the old one: f ⊙ c is missing.",
    edit=("torch.sigmoid(f) * c + torch.sigmoid(i)", "torch.sigmoid(i)"),
)

wrong(
    "gate-inside",
    "the output gate inside the tanh",
    says="Your output gate is inside the tanh. h = o ⊙ tanh(c).",
    edit=("torch.sigmoid(o) * torch.tanh(c)", "torch.tanh(torch.sigmoid(o) * c)"),
)


@wrong("in-place", "changes the cell it was given", match="changes its input c", loses=["inputs"])
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    new = torch.sigmoid(f) * c.clone() + torch.sigmoid(i) * torch.tanh(g)
    c.data.copy_(new)
    return torch.sigmoid(o) * torch.tanh(new), new


wrong(
    "interleaved",
    "each gate from every fourth column",
    says=(
        "Your blocks are interleaved. Each gate's Dh numbers are side by side, followed by "
        "those of the next gate."
    ),
    edit=(
        "i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)",
        "sums = x_t @ W + h @ U + b\n    i, f, g, o = (sums[:, k::4] for k in range(4))",
    ),
)


@wrong("library", "PyTorch's own cell", match="writes by hand")
def lstm_step(x_t, h, c, W, U, b):
    return torch.lstm_cell(x_t, (h, c), W.T, U.T, b, torch.zeros_like(b))


wrong(
    "multiplied",
    says="You multiply the cell by the new content. Add them.",
    edit=("c + torch.sigmoid", "c * torch.sigmoid"),
)


wrong("no-bias", "leaves out the bias", says="The bias is missing.", edit=("U + b", "U"))

wrong(
    "no-forget-gate",
    "keeps all of the cell",
    says="The forget gate is missing. It is f ⊙ c, not c.",
    edit=("torch.sigmoid(f) * c", "c"),
)

wrong(
    "no-input-gate",
    "lets everything in",
    says="The input gate is missing. It is i ⊙ g, not g.",
    edit=("torch.sigmoid(i) * torch.tanh", "torch.tanh"),
)

wrong(
    "no-output-gate",
    "shows all",
    says="The output gate is missing. h = o ⊙ tanh(c).",
    edit=("torch.sigmoid(o) * torch.tanh", "torch.tanh"),
)

wrong(
    "no-state",
    "gates without the state",
    says="Your gates ignore the state: h U is missing.",
    loses=["values", "state", "gradients"],
    edit=("h @ U + b", "b"),
)

wrong(
    "no-token",
    says="Your gates ignore the token: x W is missing.",
    loses=["values", "carried", "gradients"],
    edit=("x_t @ W + h @ U", "h @ U"),
)


wrong(
    "old-cell-back",
    "gives the old cell back",
    says="You return the old cell. Return the new one.",
    edit=[
        (
            "i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)",
            "old = c\n    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)",
        ),
        ("torch.tanh(c), c", "torch.tanh(c), old"),
    ],
)

wrong(
    "old-cell-shown",
    "shows the old cell",
    says="Your state uses the old cell. Use the new one.",
    edit=[
        (
            "i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)",
            "old = c\n    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)",
        ),
        ("torch.tanh(c)", "torch.tanh(old)"),
    ],
)

wrong(
    "only-h",
    "gives the state alone",
    match="expected 2 results",
    edit=("torch.tanh(c), c", "torch.tanh(c)"),
)

wrong(
    "order-figo",
    "reads the blocks as f, i, g, o",
    says="You read the blocks as f, i, g, o. Their order is i, f, g, o.",
    edit=("i, f,", "f, i,"),
)

wrong(
    "order-fiog",
    "reads the blocks as f, i, o, g",
    says="You read the blocks as f, i, o, g. Their order is i, f, g, o.",
    edit=("i, f, g, o", "f, i, o, g"),
)

wrong(
    "order-ifog",
    "reads the blocks as i, f, o, g",
    says="You read the blocks as i, f, o, g. Their order is i, f, g, o.",
    edit=("f, g, o", "f, o, g"),
)

wrong(
    "order-igfo",
    "reads the blocks as i, g, f, o",
    says="You read the blocks as i, g, f, o. Their order is i, f, g, o.",
    edit=("f, g,", "g, f,"),
)

wrong(
    "order-iofg",
    says="You read the blocks as i, o, f, g. Their order is i, f, g, o.",
    edit=("i, f, g, o", "i, o, f, g"),
)


wrong(
    "order-oifg",
    "reads the blocks as o, i, f, g",
    says="You read the blocks as o, i, f, g. Their order is i, f, g, o.",
    edit=("i, f, g, o", "o, i, f, g"),
)

wrong(
    "other-way",
    "gives (c, h)",
    says="You return the cell and the state in the wrong order. Return (h, c).",
    edit=("torch.sigmoid(o) * torch.tanh(c), c", "c, torch.sigmoid(o) * torch.tanh(c)"),
)


@wrong("our-library", "the course's own cell", match="writes by hand")
def lstm_step(x_t, h, c, W, U, b):
    from tfcourse.recurrent import LSTMCell

    cell = LSTMCell(x_t.shape[1], h.shape[1])
    cell.load_state_dict({"W": W, "U": U, "b": b})
    return cell(x_t, (h, c))


@wrong(
    "overflow",
    "e^s / (1 + e^s)",
    says="Your σ computes e^s, which is infinite for a large s: ∞/∞ is NaN. Use torch.sigmoid.",
    loses=["values", "carried"],
)
def lstm_step(x_t, h, c, W, U, b):
    def sigma(s):
        return torch.exp(s) / (1 + torch.exp(s))

    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = sigma(f) * c + sigma(i) * torch.tanh(g)
    return sigma(o) * torch.tanh(c), c


wrong(
    "plain-cell-shown",
    "uses the cell without its tanh",
    says="Your state uses the cell without its tanh. h = o ⊙ tanh(c).",
    edit=("torch.tanh(c)", "c"),
)

wrong(
    "plain-content",
    "the new content without its tanh",
    says="Your new content has no tanh: g goes through a tanh.",
    edit=("torch.tanh(g)", "g"),
)

wrong(
    "sigmoid-content",
    "all four through a sigmoid",
    says=(
        "Your new content g goes through a sigmoid. Use a tanh: a cell must be able to "
        "decrease, too."
    ),
    edit=("torch.tanh(g)", "torch.sigmoid(g)"),
)

wrong(
    "sigmoid-shown",
    "shows the cell through a sigmoid",
    says="Your state uses a sigmoid. h = o ⊙ tanh(c).",
    edit=("torch.tanh(c)", "torch.sigmoid(c)"),
)


@wrong(
    "swapped",
    "sigmoid and tanh swapped",
    says=(
        "Sigmoid and tanh are swapped: gates lie between 0 and 1, the new content between -1 and 1."
    ),
)
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.tanh(f) * c + torch.tanh(i) * torch.sigmoid(g)
    return torch.tanh(o) * torch.sigmoid(c), c


@wrong(
    "tanh-gates",
    "gates through a tanh",
    says="Your gates go through a tanh. A gate lies between 0 and 1: use a sigmoid.",
)
def lstm_step(x_t, h, c, W, U, b):
    i, f, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.tanh(f) * c + torch.tanh(i) * torch.tanh(g)
    return torch.tanh(o) * torch.tanh(c), c


wrong(
    "twice-h",
    "gives the state twice",
    says="You return the state twice. The second result is the cell c.",
    edit=("torch.sigmoid(o) * torch.tanh(c), c", "(torch.sigmoid(o) * torch.tanh(c),) * 2"),
)

wrong(
    "two-biases",
    "adds the bias twice",
    says="The bias counts twice. PyTorch's own cells have two biases, the formula has one.",
    spares=["carried", "inputs"],
    edit=("W + h", "W + b + h"),
)

broken("i, f, g, o = (x_t", "g, f, i, o = (x_t")
broken("h @ U + b).chunk", "h.flip(0) @ U + b).chunk")
broken("kept = torch.sigmoid(f) * c", "kept = torch.sigmoid(f) * c.clamp(-1, 1)")
broken("torch.sigmoid(i) * torch.tanh(g)", "torch.sigmoid(i) * torch.sin(g)")
broken("* torch.tanh(c), c", "* torch.tanh(kept), c")
