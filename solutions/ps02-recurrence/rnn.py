@right("exponentials", "the tanh out of a sigmoid")
def rnn_states(x, h, W, U, b):
    states = []
    for x_t in x.unbind(dim=1):
        h = 2 * torch.sigmoid(2 * (x_t.matmul(W) + h.matmul(U) + b)) - 1
        states.append(h.unsqueeze(1))
    return torch.concat(states, 1)


@right("filled", "a tensor of zeros that is filled")
def rnn_states(x, h, W, U, b):
    B, T, _ = x.shape
    states = x.new_zeros(B, T, len(U))
    for t in range(T):
        h = torch.tanh(x[:, t] @ W + h @ U + b)
        states[:, t] = h
    return states


@right("recursive", "one step, then the rest")
def rnn_states(x, h, W, U, b):
    joined = torch.cat([x[:, 0], h], dim=-1) @ torch.cat([W, U])
    h = torch.tanh(joined + b)
    if x.shape[1] == 1:
        return h[:, None]
    return torch.cat([h[:, None], rnn_states(x[:, 1:], h, W, U, b)], dim=1)


@right("tokens-first", "all tokens times W at once, before the loop")
def rnn_states(x, h, W, U, b):
    driven = torch.einsum("btd,dk->tbk", x, W) + b
    states = [h]
    for z in driven:
        states.append((z + states[-1] @ U).tanh())
    return torch.stack(states[1:]).transpose(0, 1)


wrong(
    "U-turned",
    "U as for columns",
    says="You transpose U. States are rows here, so it is h U.",
    edit=("h @ U", "h @ U.T"),
)

wrong(
    "added",
    "adds to the old state",
    says="You add the new state to the old one. The formula replaces it.",
    edit=("torch.tanh", "h + torch.tanh"),
)

wrong(
    "backwards-in-order",
    "reads from the right and puts in order",
    says=(
        "You read from the last token to the first, then reverse the states. Start at the first "
        "token."
    ),
    edit=[("range(x.shape[1])", "reversed(range(x.shape[1]))"), ("states,", "states[::-1],")],
)

wrong(
    "backwards",
    "reads from the right",
    says="You read from the last token to the first. Start at the first token.",
    edit=("range(x.shape[1])", "reversed(range(x.shape[1]))"),
)


@wrong("cell-library", "PyTorch's own cell", match="`RNNCell`.*writes by hand|recurrent cells")
def rnn_states(x, h, W, U, b):
    cell = torch.nn.RNNCell(W.shape[0], W.shape[1], dtype=x.dtype)
    cell.weight_ih.data, cell.weight_hh.data = W.T, U.T
    cell.bias_ih.data, cell.bias_hh.data = b, torch.zeros_like(b)
    states = []
    for t in range(x.shape[1]):
        h = cell(x[:, t], h)
        states.append(h)
    return torch.stack(states, dim=1)


wrong(
    "detached",
    says=(
        "Your states are right, but each is cut off from the one before, as by .detach(): the "
        "gradient must flow back through all steps."
    ),
    loses=["gradients"],
    edit=("W + h", "W + (h.detach() if t else h)"),
)


@wrong(
    "early",
    "stores the state before the step",
    says=(
        "Your states are one step early. The first one that you return must have read the first "
        "token."
    ),
)
def rnn_states(x, h, W, U, b):
    states = []
    for t in range(x.shape[1]):
        states.append(h)
        h = torch.tanh(x[:, t] @ W + h @ U + b)
    return torch.stack(states, dim=1)


wrong(
    "float32",
    "converts to 32 bits",
    match="float32, it must be float64",
    loses=["start", "gradients", "precision"],
    edit=("states = []", "x, h, W, U, b = (v.float() for v in (x, h, W, U, b))\n    states = []"),
)


@wrong(
    "from-first-state",
    "does not hand the state on",
    says=(
        "Your code starts every step from the initial state. Start from the state of the step "
        "before."
    ),
)
def rnn_states(x, h, W, U, b):
    states = [torch.tanh(x[:, t] @ W + h @ U + b) for t in range(x.shape[1])]
    return torch.stack(states, dim=1)


wrong(
    "from-zeros",
    "starts from zeros",
    says="You start from zeros. The initial state is an input.",
    loses=["start", "gradients", "precision"],
    edit=("states = []", "h = torch.zeros_like(h)\n    states = []"),
)

wrong(
    "in-place",
    "changes the state it was given",
    match="changes its input h",
    loses=["gradients", "inputs"],
    edit=(
        "h = torch.tanh(x[:, t] @ W + h @ U + b)\n        states.append(h)",
        "h[:] = torch.tanh(x[:, t] @ W + h @ U + b)\n        states.append(h.clone())",
    ),
)

wrong(
    "last-only",
    "gives the last state alone",
    says="You return only the last state. Return the states after all tokens.",
    edit=("torch.stack(states, dim=1)", "h"),
)


@wrong("library", "PyTorch's own net", match="`rnn_tanh`.*writes by hand")
def rnn_states(x, h, W, U, b):
    flat = [W.T, U.T, b, torch.zeros_like(b)]
    return torch.rnn_tanh(x, h[None], flat, True, 1, 0.0, False, False, True)[0]


wrong(
    "list",
    "gives a list",
    match="expected a tensor|a tensor is expected",
    edit=("torch.stack(states, dim=1)", "states"),
)

wrong("no-bias", "leaves out the bias", says="The bias is missing.", edit=("U + b", "U"))

wrong(
    "no-grad",
    "under no_grad",
    match="switches gradients off",
    loses=["gradients"],
    edit=[
        (
            "for t in range(x.shape[1]):",
            "torch.set_grad_enabled(False)\n    for t in range(x.shape[1]):",
        ),
        (
            "return torch.stack(states, dim=1)",
            "torch.set_grad_enabled(True)\n    return torch.stack(states, dim=1)",
        ),
    ],
)

wrong(
    "no-memory",
    "leaves out h U",
    says="The previous state is missing. Without h U each token is on its own.",
    edit=("h @ U + b", "b"),
)

wrong(
    "no-return",
    "forgets to return",
    match="Is there a `return`",
    edit=("return torch.stack", "torch.stack"),
)

wrong(
    "no-tanh",
    "the sum without its tanh",
    says="The tanh is missing: these are the sums themselves.",
    edit=("torch.tanh(x[:, t] @ W + h @ U + b)", "x[:, t] @ W + h @ U + b"),
)

wrong(
    "no-token",
    "leaves out x W",
    says="The token is missing. Where does x W come in?",
    edit=("x[:, t] @ W + h", "h"),
)

wrong(
    "relu",
    "a ReLU",
    says="You use a ReLU. The state goes through a tanh.",
    edit=("torch.tanh", "torch.relu"),
)

wrong(
    "same-tensor",
    "one tensor, changed in place and put into the list each time",
    says=(
        "All your states are the last one. A tensor that is changed in place changes in "
        "your list, too."
    ),
    edit=("h = torch.tanh", "h[:] = torch.tanh"),
)

wrong(
    "sigmoid",
    "a sigmoid",
    says="You use a sigmoid. The state goes through a tanh, which lies between -1 and 1.",
    edit=("torch.tanh", "torch.sigmoid"),
)

wrong(
    "tanh-of-token",
    "the tanh goes round the token alone",
    says="Your tanh leaves out h U. Take the tanh of the whole sum.",
    edit=("torch.tanh(x[:, t] @ W + h @ U + b)", "torch.tanh(x[:, t] @ W + b) + h @ U"),
)

wrong(
    "time-first",
    "stacks along the first axis",
    says="Your axes are (T, B, Dh). The batch comes first: (B, T, Dh).",
    edit=("states, dim=1", "states"),
)

wrong(
    "two-biases",
    "adds the bias twice, as PyTorch has two",
    says="The bias counts twice. PyTorch's own cells have two biases, the formula has one.",
    edit=("W + h", "W + b + h"),
)

wrong(
    "with-first",
    "gives the state it starts from too",
    says="You return T + 1 states. Leave out the initial state.",
    edit=[("states = []", "first, states = h, []"), ("states,", "[first] + states,")],
)

wrong(
    "zeros-float32",
    "fills a float32 tensor",
    match="float32, it must be float64",
    loses=["start", "gradients", "precision"],
    edit=[
        ("states = []", "states = torch.zeros(x.shape[0], x.shape[1], U.shape[0])"),
        (
            "states.append(h)\n    return torch.stack(states, dim=1)",
            "states[:, t] = h\n    return states",
        ),
    ],
)

broken("for t in range(x.shape[1]):", "for t in range(x.shape[0]):")
broken("x[:, t] @ W + h @ U + b", "x[:, 0] @ W + h @ U + b")
broken("h = torch.tanh(", "h = torch.atan(")
broken("states.append(h)", "states.append(h.abs())")
