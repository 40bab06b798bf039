@right("complex", "pairs as complex numbers")
def rotary(x, positions, theta, pairing="interleaved"):
    turn = torch.polar(torch.ones_like(positions[:, None] * theta), positions[:, None] * theta)
    half = x.shape[-1] // 2
    if pairing == "halves":
        z = torch.complex(x[..., :half], x[..., half:]) * turn
        return torch.cat([z.real, z.imag], dim=-1)
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], half, 2).contiguous()) * turn
    return torch.view_as_real(z).flatten(-2)


def to_halves(W, heads):
    parts = [torch.cat([w[:, 0::2], w[:, 1::2]], dim=1) for w in W.chunk(heads, dim=1)]
    return torch.cat(parts, dim=1)


@right("matrices", "a matrix for each position; halves through a permutation")
def rotary(x, positions, theta, pairing="interleaved"):
    K = x.shape[-1]
    turned = []
    order = torch.arange(K)
    if pairing == "halves":
        order = order.view(2, -1).T.flatten()
    for t, position in enumerate(positions.tolist()):
        matrix = torch.zeros(K, K, dtype=x.dtype)
        for i, angle in enumerate((position * theta).tolist()):
            a, b = order[2 * i], order[2 * i + 1]
            matrix[a, a] = matrix[b, b] = math.cos(angle)
            matrix[a, b], matrix[b, a] = math.sin(angle), -math.sin(angle)
        turned.append(x[..., t, :] @ matrix)
    return torch.stack(turned, dim=-2)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


@right("partner", "x cos + partner sin, as checkpoints' own code has it")
def rotary(x, positions, theta, pairing="interleaved"):
    angle = torch.outer(positions.to(theta.dtype), theta)
    if pairing == "halves":
        wide = torch.cat([angle, angle], dim=-1)
        a, b = x.tensor_split(2, dim=-1)
        partner = torch.cat([-b, a], dim=-1)
    else:
        wide = angle.repeat_interleave(2, dim=-1)
        partner = torch.empty_like(x)
        partner[..., 0::2] = -x[..., 1::2]
        partner[..., 1::2] = x[..., 0::2]
    return x * wide.cos() + partner * wide.sin()


def to_halves(W, heads):
    K = W.shape[1] // heads
    order = [h * K + c for h in range(heads) for c in [*range(0, K, 2), *range(1, K, 2)]]
    return W[:, order]


@right("plain", "the steps that the wrong answers below change", edited=True)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x.chunk(2, dim=-1)
    first, second = a * cos - b * sin, a * sin + b * cos
    if pairing == "interleaved":
        return torch.stack([first, second], dim=-1).flatten(-2)
    return torch.cat([first, second], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


@wrong(
    "always-halves",
    "leaves pairing unused, as checkpoints' own code does",
    says=('Your pairs are those of "halves". For "interleaved" they are (0, 1), (2, 3), ....'),
    loses=["interleaved"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


@wrong(
    "always-interleaved",
    "leaves pairing unused",
    says=(
        'Your pairs are those of "interleaved". For "halves" they are (0, K/2), (1, K/2 + 1), ....'
    ),
    loses=["halves"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


wrong(
    "backwards",
    "turns the other way",
    says="You rotate the wrong way. (a, b) becomes (a cos - b sin, a sin + b cos).",
    spares=["reorder"],
    edit=("angle = positions", "angle = -positions"),
)

wrong(
    "counts-itself",
    "counts tokens from 0",
    says="You count the tokens from 0 and leave `positions` unused.",
    spares=["reorder"],
    edit=("angle = positions", "angle = torch.arange(x.shape[-2])"),
)

wrong(
    "data",
    "cut off from the inputs",
    match="no gradient flows back through `rotary`",
    loses=["gradients"],
    edit=(
        "cos, sin = angle.cos(), angle.sin()",
        "x = x.detach()\n    cos, sin = angle.cos(), angle.sin()",
    ),
)


@wrong(
    "detached", "through NumPy", match="expected a tensor, got a NumPy array", spares=["reorder"]
)
def rotary(x, positions, theta, pairing="interleaved"):
    import numpy as np

    x, theta = x.detach().numpy(), theta.detach().numpy()
    angle = positions.numpy()[:, None] * theta
    cos, sin = np.cos(angle), np.sin(angle)
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
        return np.stack([a * cos - b * sin, a * sin + b * cos], -1).reshape(x.shape)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


wrong(
    "first-used-again",
    "the second number is made of the turned first",
    says=(
        "You compute the second number of a pair from the first one after its rotation. "
        "Keep the old a until b is done. Look for an assignment in place."
    ),
    spares=["reorder"],
    edit=(
        "first, second = a * cos - b * sin, a * sin + b * cos",
        "first = a * cos - b * sin\n    second = first * sin + b * cos",
    ),
)


@wrong(
    "flat",
    "expects batch and heads in front",
    match="not enough values to unpack",
    spares=["reorder"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    B, H, T, K = x.shape
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).view(B, H, T, K)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


wrong(
    "float32",
    "32-bit angles",
    says=(
        "Only the first digits are right, as with 32-bit numbers. Look for a step in 32 "
        "bits: `torch.arange(...)` divided, `torch.tensor(...)` and `.float()` give 32 "
        "bits if no dtype is passed."
    ),
    spares=["reorder"],
    edit=("positions[:, None] * theta", "positions[:, None].float() * theta.float()"),
)

wrong(
    "from-one",
    "one position further",
    says=(
        "Your first token is rotated as if it were one position further on. `positions` "
        "says where a token is."
    ),
    spares=["reorder"],
    edit=("positions[:, None]", "(positions[:, None] + 1)"),
)


@wrong("in-place", "writes into x", match="changes its input x", loses=["inputs"])
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    half = x.shape[-1] // 2
    if pairing == "interleaved":
        a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
        x[..., 0::2], x[..., 1::2] = a * cos - b * sin, a * sin + b * cos
    else:
        a, b = x[..., :half].clone(), x[..., half:].clone()
        x[..., :half], x[..., half:] = a * cos - b * sin, a * sin + b * cos
    return x


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


@wrong(
    "laid-out-interleaved",
    "angles interleaved, partners in halves",
    says=(
        "Cosines and sines are arranged for the other pairing. The two numbers of a pair "
        "must be rotated by the same angle."
    ),
    loses=["halves", "relative", "gradients"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    wide = angle.repeat_interleave(2, dim=-1)
    if pairing == "interleaved":
        partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    else:
        a, b = x.chunk(2, dim=-1)
        partner = torch.cat([-b, a], dim=-1)
    return x * wide.cos() + partner * wide.sin()


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


@wrong(
    "laid-out-otherwise",
    "angles in halves, partners interleaved",
    says=(
        "Cosines and sines are arranged for the other pairing. The two numbers of a pair "
        "must be rotated by the same angle."
    ),
    loses=["interleaved", "relative", "gradients"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    wide = torch.cat([angle, angle], dim=-1)
    if pairing == "interleaved":
        partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    else:
        a, b = x.chunk(2, dim=-1)
        partner = torch.cat([-b, a], dim=-1)
    return x * wide.cos() + partner * wide.sin()


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


@wrong(
    "not-turned",
    "adds the angles to the coordinates",
    says=(
        "You add the angles to the coordinates. Rotate each pair by its angle: (a, b) "
        "becomes (a cos - b sin, a sin + b cos)."
    ),
    spares=["reorder"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    return x + torch.cat([angle, angle], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


wrong(
    "one-speed",
    "all pairs turn at one speed",
    says="All your pairs turn at the same speed: pair i turns by position · theta[i].",
    spares=["reorder"],
    edit=("* theta", "* theta[:1].expand_as(theta)"),
)

wrong(
    "plus-twice",
    "no minus",
    says=("Both of your terms have a plus. In a rotation one of them has a minus: a cos - b sin."),
    spares=["reorder"],
    edit=("cos - b", "cos + b"),
)


@wrong(
    "put-back-interleaved",
    "reads pairs in halves and writes them interleaved",
    says=(
        "You read the right pairs, but write them to the columns of the other pairing. "
        "Each number goes back to where it was."
    ),
    loses=["halves", "gradients"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    cos, sin = angle.cos(), angle.sin()
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
    else:
        a, b = x.chunk(2, dim=-1)
    first, second = a * cos - b * sin, a * sin + b * cos
    return torch.stack([first, second], dim=-1).flatten(-2)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


wrong(
    "put-back-wrong",
    "reads pairs interleaved and writes them in halves",
    says=(
        "You read the right pairs, but write them to the columns of the other pairing. "
        "Each number goes back to where it was."
    ),
    loses=["interleaved", "gradients"],
    edit=(
        (
            "first, second = a * cos - b * sin, a * sin + b * cos\n"
            '    if pairing == "interleaved":\n'
            "        return torch.stack([first, second], dim=-1).flatten(-2)"
        ),
        "first, second = a * cos - b * sin, a * sin + b * cos",
    ),
)


wrong(
    "read-halves",
    "reads pairs in halves and writes them interleaved",
    says=(
        "You read the pairs from the columns of the other pairing, but write them to the right "
        "columns. Read a pair from where you write it."
    ),
    loses=["interleaved", "gradients"],
    edit=("a, b = x[..., 0::2], x[..., 1::2]", "a, b = x.chunk(2, dim=-1)"),
)

wrong(
    "read-interleaved",
    "reads pairs interleaved and writes them in halves",
    says=(
        "You read the pairs from the columns of the other pairing, but write them to the right "
        "columns. Read a pair from where you write it."
    ),
    loses=["halves", "gradients"],
    edit=("a, b = x.chunk(2, dim=-1)", "a, b = x[..., 0::2], x[..., 1::2]"),
)


@wrong("ready-made", "calls the course's own", match="writes by hand", spares=["reorder"])
def rotary(x, positions, theta, pairing="interleaved"):
    from tfcourse.positions import RotaryPositions

    turn = RotaryPositions(x.shape[-1], pairing)
    turn.angles = lambda at: positions.double()[:, None] * theta
    return turn.rotate(x)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


wrong(
    "reorder-all-heads",
    "reorders all columns at once",
    says=(
        "You reorder all columns at once, which mixes the heads. Reorder the K columns of "
        "each head by themselves."
    ),
    loses=["reorder", "inputs"],
    edit=(
        ("D = W.shape[0]\n    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)"),
        "return torch.cat([W[:, 0::2], W[:, 1::2]], dim=1)",
    ),
)


wrong(
    "reorder-back",
    "the way from halves to interleaved",
    says=(
        "You reorder in the wrong direction, from halves to interleaved. Column i of the "
        "result is column 2i of the head, and column K/2 + i is column 2i + 1."
    ),
    loses=["reorder", "inputs"],
    edit=("-1, 2", "2, -1"),
)


wrong(
    "reorder-nothing",
    "leaves the columns as they are",
    says="Nothing is reordered: each pair is where it was.",
    loses=["reorder", "inputs"],
    edit=(
        ("D = W.shape[0]\n    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)"),
        "return W.clone()",
    ),
)


wrong(
    "reorder-rows",
    "reorders the rows",
    says="You reorder the rows. A head's queries are x W, so its numbers are columns of W.",
    loses=["reorder", "inputs"],
    edit=(
        ("D = W.shape[0]\n    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)"),
        (
            "rows = W.shape[0]\n"
            "    return W[torch.arange(rows).view(-1, 2).T.flatten()] if rows % 2 == 0 else W"
        ),
    ),
)


wrong(
    "reorder-swapped",
    "second numbers first",
    says="You put the second numbers of the pairs first. The first numbers come first.",
    loses=["reorder", "inputs"],
    edit=(
        ("D = W.shape[0]\n    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)"),
        (
            "w = W.unflatten(1, (heads, -1))\n"
            "    return torch.cat([w[..., 1::2], w[..., 0::2]], dim=-1).flatten(1)"
        ),
    ),
)


@wrong(
    "unturned",
    "gives x back",
    says="Your rows are unchanged: nothing is rotated.",
    spares=["reorder"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    return x.clone()


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


@wrong(
    "wrong-axis",
    "positions along the axis before the tokens",
    says=(
        "Your positions run along the axis before the tokens, that of the heads or the "
        "sequences. The tokens are the second-to-last axis."
    ),
    spares=["reorder"],
)
def rotary(x, positions, theta, pairing="interleaved"):
    angle = positions[:, None] * theta
    if x.dim() > 2:
        angle = angle[:, None]
    cos, sin = angle.cos(), angle.sin()
    if pairing == "interleaved":
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)


broken(
    "angle = positions[:, None] * theta", "angle = (positions[:, None] * theta).remainder(math.pi)"
)
broken("a, b = x[..., 0::2], x[..., 1::2]", "b, a = x[..., 0::2], x[..., 1::2]")
broken("a, b = x.chunk(2, dim=-1)", "a, b = x.chunk(2, dim=-1)[::-1]")
broken("cos, sin = angle.cos(), angle.sin()", "cos, sin = angle.cos(), angle.tanh()")
broken("pairs.transpose(2, 3)", "pairs.transpose(1, 2)")
broken(
    "torch.stack([first, second], dim=-1).flatten(-2)",
    "torch.stack([first, second], dim=-2).flatten(-2)",
)
