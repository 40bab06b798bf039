@right("diagonals", "three diagonals added up")
def shift_matrix(k, theta):
    angle = (k * theta).repeat_interleave(2)
    upper = angle.sin()[:-1].clone()
    upper[1::2] = 0
    return torch.diag(angle.cos()) - torch.diag(upper, 1) + torch.diag(upper, -1)


def similarity(k, theta):
    return (k * theta).cos().sum()


@right("exponential", "the exponential of k times what turns")
def shift_matrix(k, theta):
    generator = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=theta.dtype)
    return torch.block_diag(*(torch.matrix_exp(k * t * generator) for t in theta))


def similarity(k, theta):
    return sum(math.cos(k * t) for t in theta.tolist())


@right("loop", "block by block; the dot product from two codes")
def shift_matrix(k, theta):
    d = 2 * len(theta)
    matrix = theta.new_zeros(d, d)
    for i, angle in enumerate(k * theta):
        matrix[2 * i, 2 * i] = angle.cos()
        matrix[2 * i + 1, 2 * i] = angle.sin()
        matrix[2 * i, 2 * i + 1] = -angle.sin()
        matrix[2 * i + 1, 2 * i + 1] = angle.cos()
    return matrix


def similarity(k, theta):
    first = torch.cat([torch.sin(0 * theta), torch.cos(0 * theta)])
    second = torch.cat([torch.sin(k * theta), torch.cos(k * theta)])
    return float(first @ second)


wrong(
    "element-power",
    "raises each number to the power k",
    says=(
        "Your matrix raises each number of the shift by 1 to the power k. Multiply the "
        "matrix by itself, or the angle by k."
    ),
    spares=["similarity"],
    edit=[
        ("sin = (k * theta).cos(), (k * theta).sin", "sin = theta.cos(), theta.sin"),
        (
            "torch.block_diag(*blocks.view(-1, 2, 2))",
            "torch.block_diag(*blocks.view(-1, 2, 2)) ** k",
        ),
    ],
)


@wrong(
    "float32",
    "a 32-bit zero matrix filled in",
    match="float32, it must be float64",
    spares=["similarity"],
)
def shift_matrix(k, theta):
    d = 2 * len(theta)
    matrix = torch.zeros(d, d)
    for i, angle in enumerate(k * theta):
        a, b = 2 * i, 2 * i + 1
        matrix[a, a] = matrix[b, b] = angle.cos()
        matrix[b, a], matrix[a, b] = angle.sin(), -angle.sin()
    return matrix


def similarity(k, theta):
    return (k * theta).cos().sum()


@wrong(
    "in-halves",
    "sines before cosines",
    says=(
        "Your matrix fits codes whose sines all come before their cosines. Here the two "
        "numbers of a pair are side by side: 2 × 2 blocks along the diagonal."
    ),
    loses=["values"],
)
def shift_matrix(k, theta):
    cos, sin = torch.diag((k * theta).cos()), torch.diag((k * theta).sin())
    return torch.cat([torch.cat([cos, -sin], 1), torch.cat([sin, cos], 1)])


def similarity(k, theta):
    return (k * theta).cos().sum()


wrong(
    "in-place",
    "multiplies the frequencies themselves",
    match="`shift_matrix` changes its input theta",
    loses=["steps"],
    edit=(
        "cos, sin = (k * theta).cos(), (k * theta).sin()",
        "theta = theta.mul_(k)\n    cos, sin = theta.cos(), theta.sin()",
    ),
)

wrong(
    "minus-twice",
    says="Both sines in your blocks have a minus. sin(t + k) = sin t cos k + cos t sin k.",
    spares=["similarity"],
    edit=("-sin, sin", "-sin, -sin"),
)

wrong(
    "no-k",
    "always a shift by 1",
    says="Your matrix does not depend on k: the angle of a pair grows by k θ.",
    spares=["similarity"],
    edit=("sin = (k * theta).cos(), (k * theta).sin", "sin = theta.cos(), theta.sin"),
)


@wrong(
    "one-pair",
    "the first frequency for all pairs",
    says="All your blocks turn by the same angle: pair i has the frequency theta[i].",
    loses=["values"],
)
def shift_matrix(k, theta):
    angle = k * theta[0]
    block = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).view(2, 2)
    return torch.block_diag(*[block] * len(theta))


def similarity(k, theta):
    return (k * theta).cos().sum()


@wrong(
    "one-position",
    says=(
        "Your matrix moves the code of one position only. It must move every position's: rotate "
        "each pair of columns by its own angle, k θ."
    ),
    spares=["similarity"],
)
def shift_matrix(k, theta):
    def code(t):
        return torch.stack([(t * theta).sin(), (t * theta).cos()], -1).flatten()

    here, there = code(1.0), code(1.0 + k)
    return torch.outer(here, there) / (here @ here)


def similarity(k, theta):
    return (k * theta).cos().sum()


wrong(
    "only-cosines",
    says=(
        "Your matrix has only the cosines. The sine of the next position needs the cosine "
        "of this one, too."
    ),
    spares=["similarity"],
    edit=("torch.block_diag(*blocks.view(-1, 2, 2))", "torch.diag(cos.repeat_interleave(2))"),
)

wrong(
    "plus-twice",
    "no minus at all",
    says="Both sines in your blocks have a plus. cos(t + k) = cos t cos k - sin t sin k.",
    spares=["similarity"],
    edit=("-sin,", "sin,"),
)

wrong(
    "sign-lost",
    says="Your matrix shifts forward for a negative k, too: does k lose its sign?",
    spares=["similarity"],
    edit=(
        "cos, sin = (k * theta).cos(), (k * theta).sin()",
        "cos, sin = (abs(k) * theta).cos(), (abs(k) * theta).sin()",
    ),
)

wrong(
    "similarity-distance",
    "the squared distance",
    says="This is the squared distance between the two codes. Return their dot product.",
    loses=["similarity"],
    edit=("return (k * theta).cos().sum", "return (2 - 2 * (k * theta).cos()).sum"),
)

wrong(
    "similarity-in-place",
    "multiplies the frequencies themselves",
    match="`similarity` changes its input theta",
    loses=["similarity"],
    edit=("return (k * theta).cos().sum()", "theta *= k\n    return theta.cos().sum()"),
)

wrong(
    "similarity-mean",
    "the mean over the pairs",
    says=(
        "You divide by the number of pairs, or by the lengths of the codes. A dot product is a sum."
    ),
    loses=["similarity"],
    edit=("return (k * theta).cos().sum", "return (k * theta).cos().mean"),
)

wrong(
    "similarity-no-k",
    says="Your similarity does not depend on k: the angle of a pair grows by k θ.",
    loses=["similarity"],
    edit=("return (k * theta).cos()", "return theta.cos()"),
)

wrong(
    "similarity-pairs",
    says="You return a number for each pair. Add them up: the result is one number.",
    loses=["similarity"],
    edit=("return (k * theta).cos().sum()", "return (k * theta).cos()"),
)

wrong(
    "similarity-sines",
    "the sum of sines",
    says="This is a sum of sines. sin a sin b + cos a cos b = cos(a - b).",
    loses=["similarity"],
    edit=("return (k * theta).cos", "return (k * theta).sin"),
)

wrong(
    "similarity-sum-of-angles",
    says=(
        "You take the sum of the angles. cos a cos b + sin a sin b is the cosine of their "
        "difference."
    ),
    loses=["similarity"],
    edit=("return (k * theta).cos().sum()", "return (k * theta).sum().cos()"),
)

wrong(
    "similarity-twice",
    "counts each pair twice",
    says="Each pair counts twice: sin a sin b + cos a cos b is one cosine.",
    loses=["similarity"],
    edit=("return (k * theta).cos().sum", "return (k * theta).cos().repeat_interleave(2).sum"),
)

wrong(
    "transposed",
    "fits codes as columns",
    says=(
        "Your matrix shifts the other way, by -k: here codes are rows, p M. Is yours meant "
        "for columns, M p? Or for codes with the cosine before the sine?"
    ),
    spares=["similarity"],
    edit=("-sin, sin", "sin, -sin"),
)


@wrong(
    "whole-steps",
    "multiplies the shift by 1 with itself, and cannot shift back",
    match="`shift_matrix` stops with RuntimeError in a hidden test",
    spares=["similarity"],
)
def shift_matrix(k, theta):
    cos, sin = theta.cos(), theta.sin()
    step = torch.block_diag(*torch.stack([cos, -sin, sin, cos], -1).view(-1, 2, 2))
    matrix = torch.eye(len(step))
    for _ in range(int(k)):
        matrix = matrix @ step
    return matrix


def similarity(k, theta):
    return (k * theta).cos().sum()


@wrong(
    "wider", "fills a 64-bit matrix", match="pass dtype=theta.dtype", loses=["by-hand", "values"]
)
def shift_matrix(k, theta):
    d = 2 * len(theta)
    matrix = torch.zeros(d, d, dtype=torch.float64)
    for i, angle in enumerate(k * theta):
        cos, sin = angle.cos(), angle.sin()
        matrix[2 * i, 2 * i] = matrix[2 * i + 1, 2 * i + 1] = cos
        matrix[2 * i, 2 * i + 1], matrix[2 * i + 1, 2 * i] = -sin, sin
    return matrix


def similarity(k, theta):
    return (k * theta).cos().sum()


broken("(k * theta).cos(), (k", "(k * theta).cos().abs(), (k")
broken("torch.stack([cos, -sin, sin, cos], dim=-1)", "torch.stack([cos, -sin, sin, cos], dim=0)")
broken("torch.stack([cos, -sin, sin, cos]", "torch.stack([cos, -sin, sin, cos.roll(1)]")
broken("    return (k * theta).cos().sum()", "    return (k * theta).sum().cos()")
