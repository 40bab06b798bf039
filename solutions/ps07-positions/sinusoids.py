@right("complex", "the hands of the clocks as complex numbers")
def sinusoids(positions, d, base=10000.0):
    theta = base ** (-torch.arange(0, d, 2, dtype=positions.dtype) / d)
    angle = positions[:, None] * theta
    hands = torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(hands).flip(-1).reshape(len(positions), d)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)


@right("exp-log", "frequencies by exp and log, even and odd columns filled in")
def sinusoids(positions, d, base=10000.0):
    theta = torch.exp(torch.arange(0, d, 2, dtype=positions.dtype) * (-math.log(base) / d))
    codes = positions.new_empty(positions.shape[0], d)
    codes[:, 0::2] = torch.sin(torch.outer(positions, theta))
    codes[:, 1::2] = torch.cos(torch.outer(positions, theta))
    return codes


def wavelengths(d, base=10000.0):
    i = torch.arange(d // 2, dtype=torch.float64)
    return math.tau * torch.exp(2 * i / d * math.log(base))


@right("loop", "one number after the other")
def sinusoids(positions, d, base=10000.0):
    codes = torch.zeros(len(positions), d, dtype=positions.dtype)
    for n, position in enumerate(positions):
        for i in range(d // 2):
            angle = position / base ** (2 * i / d)
            codes[n, 2 * i] = torch.sin(angle)
            codes[n, 2 * i + 1] = torch.cos(angle)
    return codes


def wavelengths(d, base=10000.0):
    return torch.tensor([2 * math.pi * base ** (2 * i / d) for i in range(d // 2)])


wrong(
    "angles",
    says="You return the angles, before sine and cosine.",
    spares=["wavelengths"],
    edit=(
        "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)",
        "angles.repeat_interleave(2, dim=-1)",
    ),
)

wrong(
    "base-fixed",
    "10000 written into the code",
    says="Your base is always 10000. Use `base`.",
    spares=["wavelengths"],
    edit=("base ** (i / d)", "10000 ** (i / d)"),
)

wrong(
    "float32",
    "32-bit frequencies",
    says=(
        "Only the first digits are right, as with 32-bit numbers. Look for a step in 32 "
        "bits: `torch.arange(...)` divided, `torch.tensor(...)` and `.float()` give 32 "
        "bits if no dtype is passed."
    ),
    spares=["wavelengths"],
    edit=("torch.arange(0, d, 2, dtype=positions.dtype)", "torch.arange(0, d, 2)"),
)


@wrong(
    "from-one",
    "counts the pairs from 1",
    says=(
        "Your first pair has the exponent 2/d. Pairs are counted from i = 0 here, so that the "
        "first has the frequency 1."
    ),
    spares=["wavelengths"],
)
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(1, d // 2 + 1, dtype=positions.dtype)
    angles = positions[:, None] / base ** (2 * i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)


wrong(
    "half-exponent",
    "i/d although i counts the pairs",
    says="Your exponents are half as large as they should be: for pair i it is 2i/d, not i/d.",
    spares=["wavelengths"],
    edit=("0, d, 2,", "d // 2,"),
)

wrong(
    "halves",
    "all sines and then all cosines",
    says=(
        "Your code puts all sines first, then all cosines. Here the two of a pair are side by "
        "side: sine in column 2i, cosine in column 2i + 1."
    ),
    spares=["wavelengths"],
    edit=(
        "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)",
        "torch.cat([angles.sin(), angles.cos()], dim=-1)",
    ),
)


@wrong(
    "in-place",
    "divides the positions themselves",
    match="changes its input positions",
    loses=["inputs"],
)
def sinusoids(positions, d, base=10000.0):
    codes = positions.new_zeros(len(positions), d)
    for i in range(d // 2):
        codes[:, 2 * i] = positions.sin()
        codes[:, 2 * i + 1] = positions.cos()
        positions /= base ** (2 / d)
    return codes


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)


wrong(
    "multiplied",
    "multiplies by the power",
    says=(
        "You multiply by base^(2i/d). Divide the position by it, so that later pairs turn "
        "more slowly."
    ),
    spares=["wavelengths"],
    edit=("positions[:, None] / base", "positions[:, None] * base"),
)

wrong(
    "no-d",
    "forgets to divide the exponent by d",
    says="The exponent is not divided by d. It is 2i/d.",
    spares=["wavelengths"],
    edit=("base ** (i / d)", "base**i"),
)

wrong(
    "one-further",
    "counts positions from 1",
    says="Your positions are one too large. Use the numbers in `positions` as given.",
    spares=["wavelengths"],
    edit=("positions[:, None]", "(positions[:, None] + 1)"),
)


wrong(
    "one-speed",
    says=(
        "All your pairs turn at the same speed: where is the exponent? Or is it rounded to "
        "0, as by `//`?"
    ),
    spares=["wavelengths"],
    edit=("base ** (i / d)", "base ** (i // d)"),
)

wrong(
    "only-cosines",
    says="There are only cosines: even columns hold the sine.",
    spares=["wavelengths"],
    edit=("angles.sin()", "angles.cos()"),
)

wrong(
    "only-sines",
    says="There are only sines: odd columns hold the cosine.",
    spares=["wavelengths"],
    edit=("angles.cos()", "angles.sin()"),
)


@wrong(
    "own-frequency",
    "each column has a frequency of its own",
    says=(
        "Sine and cosine of a pair share one frequency: column 2i + 1 has the exponent "
        "2i/d, too. Yours has (2i + 1)/d."
    ),
    spares=["wavelengths"],
)
def sinusoids(positions, d, base=10000.0):
    column = torch.arange(d, dtype=positions.dtype)
    angles = positions[:, None] / base ** (column / d)
    return torch.where(column % 2 == 0, angles.sin(), angles.cos())


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)


@wrong("ready-made", "calls the course's own", match="writes by hand", spares=["wavelengths"])
def sinusoids(positions, d, base=10000.0):
    from tfcourse.positions import SinusoidalPositions

    return SinusoidalPositions(d, base).table(positions, positions.dtype)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)


wrong(
    "rows-counted",
    "takes the row's number for the position",
    says="You count the rows from 0 and leave `positions` unused.",
    spares=["wavelengths"],
    edit=(
        "angles = positions[:, None] / base ** (i / d)",
        (
            "rows = torch.arange(len(positions), dtype=positions.dtype)\n"
            "    angles = rows[:, None] / base ** (i / d)"
        ),
    ),
)


wrong(
    "swapped",
    "cosine before sine",
    says="Sine and cosine are swapped: even columns hold the sine.",
    spares=["wavelengths"],
    edit=("angles.sin(), angles.cos", "angles.cos(), angles.sin"),
)


@wrong(
    "to-one",
    "lets the last exponent be 1, as some libraries do",
    says=(
        "Your exponents run up to 1 in the last pair. They are 2i/d, so the last one is (d - 2)/d."
    ),
    spares=["wavelengths"],
)
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(d // 2, dtype=positions.dtype)
    angles = positions[:, None] / base ** (i / max(d // 2 - 1, 1))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)


wrong(
    "turned",
    "a position in each column",
    says="Your codes are transposed: each position is a row.",
    spares=["wavelengths"],
    edit=(
        "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)",
        "torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).T",
    ),
)

wrong(
    "twice",
    "multiplies by 2 what runs in steps of 2 already",
    says=(
        "Your exponents are twice too large. If i already runs 0, 2, 4, ..., the exponent is i/d."
    ),
    spares=["wavelengths"],
    edit=("i / d", "2 * i / d"),
)


wrong(
    "wavelength-base",
    says="Your base is always 10000. Use `base`.",
    loses=["wavelengths"],
    edit=("math.pi * base", "math.pi * 10000"),
)


wrong(
    "wavelength-columns",
    "one for each column",
    match=r"three pairs at width 6: shape \(6,\), it must be \(3,\)",
    loses=["wavelengths"],
    edit=(
        "return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)",
        ("column = torch.arange(d)\n    return 2 * math.pi * base ** ((column - column % 2) / d)"),
    ),
)


wrong(
    "wavelength-falls",
    says="Your wavelengths fall. Slower pairs have longer wavelengths.",
    loses=["wavelengths"],
    edit=("2 * math.pi * base ** (torch", "2 * math.pi * base ** (-torch"),
)

wrong(
    "wavelength-frequencies",
    "returns frequencies",
    says=(
        "These are the frequencies. The wavelength is the number of positions after which "
        "the angle has grown by 2π."
    ),
    loses=["wavelengths"],
    edit=(
        "2 * math.pi * base ** (torch.arange(0, d, 2) / d)",
        "base ** (-torch.arange(0, d, 2) / d)",
    ),
)

wrong(
    "wavelength-from-one",
    says="Your first pair has the exponent 2/d: pairs are counted from i = 0.",
    loses=["wavelengths"],
    edit=("torch.arange(0, d, 2) / d", "torch.arange(2, d + 1, 2) / d"),
)

wrong(
    "wavelength-half",
    says="Your wavelength is half of a period: a sine repeats at 2π.",
    loses=["wavelengths"],
    edit=("return 2 * math.pi", "return math.pi"),
)

wrong(
    "wavelength-half-exponent",
    says="Your exponents are half as large as they should be: for pair i it is 2i/d, not i/d.",
    loses=["wavelengths"],
    edit=("torch.arange(0, d, 2) / d", "torch.arange(d // 2) / d"),
)

wrong(
    "wavelength-lecture",
    "from 2π to 10000 · 2π, both ends included",
    says=(
        "Your last wavelength is exactly 2π · base. The exponents are 2i/d, and i goes to d/2 - "
        "1, so the last one is (d - 2)/d, a little less than 1."
    ),
    loses=["wavelengths"],
    edit=("base ** (torch.arange(0, d, 2) / d)", "torch.logspace(0, 1, d // 2, base=base)"),
)

wrong(
    "wavelength-list",
    "returns a list",
    match="expected a tensor|a tensor is expected",
    loses=["wavelengths"],
    edit=(
        "2 * math.pi * base ** (torch.arange(0, d, 2) / d)",
        "[2 * math.pi * base ** (2 * i / d) for i in range(d // 2)]",
    ),
)

wrong(
    "wavelength-no-pi",
    "forgets the 2π",
    says="The 2π is missing: a sine repeats when its angle has grown by 2π.",
    loses=["wavelengths"],
    edit=("2 * math.pi * base", "base"),
)

wrong(
    "wavelength-reversed",
    says="Your wavelengths are in reverse order. The fastest pair comes first.",
    loses=["wavelengths"],
    edit=("torch.arange(0, d, 2) / d", "torch.arange(d - 2, -1, -2) / d"),
)

wrong(
    "wavelength-twice",
    says=(
        "Your exponents are twice too large. If i already runs 0, 2, 4, ..., the exponent is i/d."
    ),
    loses=["wavelengths"],
    edit=("torch.arange(0, d, 2) / d", "2 * torch.arange(0, d, 2) / d"),
)

broken("/ base ** (i / d)", "/ d ** (i / base)")
broken("dim=-1).flatten(1)", "dim=1).flatten(1)")
broken("positions[:, None] / base", "positions[:, None].round() / base")
broken("angles.cos()]", "(angles + 1).cos()]")
broken("return 2 * math.pi * base", "return base * 2 * math.pi")
broken("(torch.arange(0, d, 2) / d)", "(torch.arange(0, d, 2) // d)")
