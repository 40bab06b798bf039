@right("forwards", "derivatives carried forwards, step by step")
def through_time(x, W, U, b, G):
    """Real-time recurrent learning: d h_t by every number."""
    T, n = G.shape
    inputs = [x, W, U, b]
    sizes = [v.numel() for v in inputs]
    J = x.new_zeros(sum(sizes), n)
    total = x.new_zeros(sum(sizes))
    h = x.new_zeros(n)
    d = x.shape[1]
    for t in range(T):
        direct = x.new_zeros(sum(sizes), n)
        direct[t * d : (t + 1) * d] = W
        at = sizes[0]
        for j in range(d):
            for k in range(n):
                direct[at + j * n + k, k] = x[t, j]
        at += sizes[1]
        for j in range(n):
            for k in range(n):
                direct[at + j * n + k, k] = h[j]
        at += sizes[2]
        direct[at:] = torch.eye(n, dtype=x.dtype)
        new = torch.tanh(x[t] @ W + h @ U + b)
        J = (direct + J @ U) * (1 - new**2)
        h = new
        total = total + J @ G[t]
    return [part.view_as(v) for part, v in zip(total.split(sizes), inputs)]


@right("matrices", "all deltas first, then products")
def through_time(x, W, U, b, G):
    T, n = G.shape
    h = x.new_zeros(T + 1, n)
    for t in range(T):
        h[t + 1] = torch.tanh(x[t] @ W + h[t] @ U + b)
    delta = x.new_zeros(T + 1, n)
    for t in range(T - 1, -1, -1):
        delta[t] = (G[t] + U @ delta[t + 1]) * (1 - h[t + 1] ** 2)
    delta = delta[:T]
    return delta @ W.T, x.T @ delta, h[:T].T @ delta, delta.sum(dim=0)


@right("recursive", "the way back as a function of the rest")
def through_time(x, W, U, b, G):
    def back(t, h):
        if t == len(x):
            return torch.zeros_like(h), []
        new = torch.tanh(x[t] @ W + h @ U + b)
        after, rest = back(t + 1, new)
        delta = (G[t] + after) * (1 - new * new)
        return delta @ U.mT, [(h, delta)] + rest

    _, both = back(0, torch.zeros_like(b))
    before = torch.stack([h for h, _ in both])
    delta = torch.stack([d for _, d in both])
    return (
        delta @ W.mT,
        torch.einsum("td,tk->dk", x, delta),
        torch.einsum("td,tk->dk", before, delta),
        delta.sum(0),
    )


@right("plain", "the steps that the wrong answers below change", edited=True)
def through_time(x, W, U, b, G):
    states = [torch.zeros_like(b)]
    for x_t in x:
        states.append(torch.tanh(x_t @ W + states[-1] @ U + b))
    dx = torch.zeros_like(x)
    dW, dU, db = torch.zeros_like(W), torch.zeros_like(U), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dh = G[t] + later
        delta = dh * (1 - states[t + 1] ** 2)
        dx[t] = delta @ W.T
        dW += torch.outer(x[t], delta)
        dU += torch.outer(states[t], delta)
        db += delta
        later = delta @ U.T
    return dx, dW, dU, db


wrong(
    "U-not-turned",
    "δ U in the backward pass",
    says="You must transpose U in the backward pass: the gradient of the previous state is δ Uᵀ.",
    loses=["values", "every-step", "measured"],
    edit=("delta @ U.T", "delta @ U"),
)


@wrong("autograd", "backward of the loss", match="lets PyTorch find")
def through_time(x, W, U, b, G):
    x, W, U, b = (v.clone().requires_grad_() for v in (x, W, U, b))
    h, loss = torch.zeros_like(b), 0.0
    for x_t, g in zip(x, G):
        h = torch.tanh(x_t @ W + h @ U + b)
        loss = loss + (g * h).sum()
    loss.backward()
    return x.grad, W.grad, U.grad, b.grad


@wrong(
    "bias-rows",
    "a row for each step",
    says="Your gradient of b has a row for each step. Add up the rows.",
)
def through_time(x, W, U, b, G):
    states = [torch.zeros_like(b)]
    for x_t in x:
        states.append(torch.tanh(x_t @ W + states[-1] @ U + b))
    rows = torch.zeros_like(G)
    dx = torch.zeros_like(x)
    dW, dU, db = torch.zeros_like(W), torch.zeros_like(U), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dh = G[t] + later
        delta = dh * (1 - states[t + 1] ** 2)
        dx[t] = delta @ W.T
        dW += torch.outer(x[t], delta)
        dU += torch.outer(states[t], delta)
        rows[t] = delta
        later = delta @ U.T
    return dx, dW, dU, rows


wrong(
    "float32",
    "32 bits inside",
    match="float32, it must be float64",
    edit=(
        "def through_time(x, W, U, b, G):",
        (
            "def through_time(x, W, U, b, G):\n"
            "    x, W, U, b, G = (v.float() for v in (x, W, U, b, G))"
        ),
    ),
)


wrong(
    "forwards",
    "goes from the first step to the last",
    says=(
        "Your code goes from the first step to the last. Gradients come back from the last "
        "step to the first."
    ),
    spares=["one-token", "inputs"],
    edit=("reversed(range(len(x)))", "range(len(x))"),
)


@wrong("functional", "autograd by another name", match="lets PyTorch find")
def through_time(x, W, U, b, G):
    def loss(x, W, U, b):
        h, total = torch.zeros_like(b), 0.0
        for x_t, g in zip(x, G):
            h = torch.tanh(x_t @ W + h @ U + b)
            total = total + (g * h).sum()
        return total

    return torch.func.grad(loss, argnums=(0, 1, 2, 3))(x, W, U, b)


wrong(
    "half-slope",
    "1 - h",
    says="The slope of the tanh is 1 - h². You use 1 - h.",
    edit=("[t + 1] ** 2", "[t + 1]"),
)

wrong(
    "in-place",
    "adds into G",
    match="changes its input G",
    loses=["inputs"],
    edit=("[t] + later", "[t].add_(later)"),
)

wrong(
    "last-loss",
    "the loss of the last step alone",
    says=(
        "You use only the last row of G. Every step has its own part in the loss: add its row "
        "to the gradient that comes from the next step."
    ),
    loses=["every-step", "measured"],
    edit=[("later = torch.zeros_like(b)", "later = G[-1]"), ("G[t] + later", "later")],
)

wrong(
    "mean",
    "means over the steps",
    says="Your gradients of W, U and b are means over the steps. Take sums.",
    spares=["one-token", "inputs"],
    edit=("dx, dW, dU, db", "dx, dW / len(x), dU / len(x), db / len(x)"),
)

wrong(
    "new-state",
    "h_t in the gradient of U",
    says=(
        "U multiplies the previous state, so its gradient comes from h_{t-1} and δ_t. "
        "Yours comes from h_t and δ_t."
    ),
    edit=("states[t]", "states[t + 1]"),
)

wrong(
    "no-slope-between",
    "sends dh on and not δ",
    says=(
        "δ must go back through Uᵀ from step to step. You pass on the gradient at the "
        "state, before the slope of the tanh."
    ),
    loses=["values", "every-step", "measured"],
    edit=("later = delta", "later = dh"),
)

wrong(
    "no-slope",
    "leaves the tanh out",
    says="The tanh is missing from your backward pass. Its slope is 1 - h².",
    edit=("* (1 - states[t + 1] ** 2)", "* 1"),
)

wrong(
    "no-x",
    "forgets the gradient of x",
    match="expected 4 results",
    edit=("return dx,", "return"),
)

wrong(
    "one-step",
    "each step hears its own loss alone",
    says="No step receives a gradient from later steps: the term δ Uᵀ is missing.",
    spares=["one-token", "inputs"],
    edit=("delta @ U.T", "torch.zeros_like(b)"),
)


@wrong(
    "overwritten",
    "= instead of +=",
    says=(
        "Your gradients of W, U and b hold only the first step's part, the last that your "
        "loop computes. Add up the steps: += and not =."
    ),
    spares=["one-token", "inputs"],
)
def through_time(x, W, U, b, G):
    states = [torch.zeros_like(b)]
    for x_t in x:
        states.append(torch.tanh(x_t @ W + states[-1] @ U + b))
    dx = torch.zeros_like(x)
    dW, dU, db = torch.zeros_like(W), torch.zeros_like(U), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dh = G[t] + later
        delta = dh * (1 - states[t + 1] ** 2)
        dx[t] = delta @ W.T
        dW = torch.outer(x[t], delta)
        dU = torch.outer(states[t], delta)
        db = delta
        later = delta @ U.T
    return dx, dW, dU, db


wrong(
    "sigmoid-slope",
    "the slope of a sigmoid",
    says="You use the slope of a sigmoid, h (1 - h). That of the tanh is 1 - h².",
    edit=("* (1 - states[t + 1] ** 2)", "* states[t + 1] * (1 - states[t + 1])"),
)

wrong(
    "sign",
    "downhill",
    says=(
        "The sign is wrong: your gradients point downhill. A gradient points in the direction "
        "in which the loss grows."
    ),
    edit=("dx, dW, dU, db", "-dx, -dW, -dU, -db"),
)

wrong(
    "slope-before",
    "the slope at the state before",
    says=(
        "You take the tanh's slope at the state before the step. Take it at the step's own "
        "state, 1 - h_t²."
    ),
    edit=("t + 1", "t"),
)

wrong(
    "tanh-twice",
    "1 - tanh(h)²",
    says="The slope of the tanh is 1 - h², where h is already a tanh. You take the tanh again.",
    edit=("states[t + 1]", "torch.tanh(states[t + 1])"),
)

wrong(
    "ten-steps",
    "stops after ten steps",
    match="changes by",
    loses=["measured"],
    edit=("delta @ U.T", "delta @ U.T if t > len(x) - 10 else torch.zeros_like(b)"),
)


@wrong(
    "truncated",
    "the last step's part alone",
    says="Your gradients of W, U and b hold only the last step's part. Add up the steps.",
    spares=["one-token", "inputs"],
)
def through_time(x, W, U, b, G):
    states = [torch.zeros_like(b)]
    for x_t in x:
        states.append(torch.tanh(x_t @ W + states[-1] @ U + b))
    dx = torch.zeros_like(x)
    dW, dU, db = torch.zeros_like(W), torch.zeros_like(U), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dh = G[t] + later
        delta = dh * (1 - states[t + 1] ** 2)
        dx[t] = delta @ W.T
        dW = torch.outer(x[t], delta) if t == len(x) - 1 else dW
        dU = torch.outer(states[t], delta) if t == len(x) - 1 else dU
        db = delta if t == len(x) - 1 else db
        later = delta @ U.T
    return dx, dW, dU, db


wrong(
    "turned",
    "outer products turned round",
    says=(
        "Your gradients of W and U are transposed: the outer products have their factors in the "
        "wrong order. A row belongs to an input, a column to δ."
    ),
    edit=(
        ("dW += torch.outer(x[t], delta)\n        dU += torch.outer(states[t], delta)"),
        (
            "dW = dW + torch.outer(delta, x[t]).reshape(W.shape)\n"
            "        dU += torch.outer(delta, states[t])"
        ),
    ),
)


@wrong(
    "x-delta",
    "δ as the gradient of x",
    says="You return δ as the gradient of x. W multiplies the token, so it is δ Wᵀ.",
)
def through_time(x, W, U, b, G):
    states = [torch.zeros_like(b)]
    for x_t in x:
        states.append(torch.tanh(x_t @ W + states[-1] @ U + b))
    rows = torch.zeros_like(G)
    dx = torch.zeros_like(x)
    dW, dU, db = torch.zeros_like(W), torch.zeros_like(U), torch.zeros_like(b)
    later = torch.zeros_like(b)
    for t in reversed(range(len(x))):
        dh = G[t] + later
        delta = dh * (1 - states[t + 1] ** 2)
        dx[t] = 0.0
        rows[t] = delta
        dW += torch.outer(x[t], delta)
        dU += torch.outer(states[t], delta)
        db += delta
        later = delta @ U.T
    return rows, dW, dU, db


broken("states.append(h)", "states.insert(0, h)")
broken("in reversed(range(len(x))):", "in reversed(range(1, len(x))):")
broken("(1 - h**2)", "(1 - h**3)")
broken("dW += torch.outer(x[t], delta)", "dW += torch.outer(x[t], later)")
broken("db += delta", "db += G[t]")
broken("later = delta @ U.T", "later = later + delta @ U.T")
