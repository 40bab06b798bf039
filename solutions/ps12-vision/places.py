@right("loop", "a position at a time")
def grid_codes(rows, columns, d):
    if d % 4 != 0:
        raise ValueError("half of d must be even")
    codes = []
    for r in range(rows):
        for c in range(columns):
            code = []
            for n in (r, c):
                for i in range(d // 4):
                    angle = n / 10000 ** (4 * i / d)
                    code += [math.sin(angle), math.cos(angle)]
            codes.append(code)
    return torch.tensor(codes)


@right("meshgrid", "numbers of row and column from a grid, columns filled in")
def grid_codes(rows, columns, d):
    if d // 4 * 4 != d:
        raise ValueError(d)
    r, c = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    rate = torch.exp(-math.log(10000) * torch.arange(d // 4) / (d / 4))
    codes = torch.zeros(rows * columns, d)
    for start, n in (0, r), (d // 2, c):
        angle = n.reshape(-1, 1) * rate
        codes[:, start : start + d // 2 : 2] = angle.sin()
        codes[:, start + 1 : start + d // 2 : 2] = angle.cos()
    return codes


@wrong(
    "added",
    "codes of row and column added up",
    says="You add the codes of row and column. Put them side by side.",
)
def grid_codes(rows, columns, d):
    theta = 10000.0 ** (-torch.arange(0, d, 2) / d)

    def code(n):
        angles = torch.arange(n)[:, None] * theta
        return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)

    return (code(rows)[:, None] + code(columns)).flatten(0, 1)


wrong(
    "alternating",
    says=(
        "The numbers of the row's code and of the column's code alternate. Put all of the "
        "row's code first, then the column's."
    ),
    edit=(
        "torch.cat([down, across], dim=2).flatten(0, 1)",
        "torch.stack([down, across], dim=3).flatten(2).flatten(0, 1)",
    ),
)

wrong(
    "column-first",
    says=("The column comes first in your codes. The first half of a code is that of the row."),
    edit=("[down, across]", "[across, down]"),
)

wrong(
    "column-order",
    says="Your codes are in column order. Order them row by row, as the patches are.",
    edit=("dim=2).flatten(0, 1)", "dim=2).transpose(0, 1).flatten(0, 1)"),
)

wrong(
    "column-twice",
    says="Both halves hold the column's code. The first half must be the row's.",
    edit=("[down, across]", "[across, across]"),
)

wrong(
    "double",
    "64-bit codes",
    match="Return 32-bit floats",
    edit=(
        "torch.cat([down, across], dim=2).flatten(0, 1)",
        "torch.cat([down, across], dim=2).flatten(0, 1).double()",
    ),
)


@wrong(
    "flat",
    "the flat code of the number of the patch",
    says=(
        "You return the flat code, which encodes the patch's number. Row and column each "
        "have their own code."
    ),
)
def grid_codes(rows, columns, d):
    if d % 4:
        raise ValueError(f"d must be a multiple of 4, got {d}")
    theta = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(rows * columns)[:, None] * theta
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)


wrong(
    "from-one",
    says="You count rows and columns from 1. The first of each is number 0.",
    edit=("torch.arange(n)", "torch.arange(1, n + 1)"),
)

wrong(
    "grid-kept",
    says="Your codes still form a grid. Flatten rows and columns into one axis.",
    edit=("dim=2).flatten(0, 1)", "dim=2)"),
)

wrong(
    "in-halves",
    says=(
        "In each half, all sines come before all cosines. The sine and cosine of a pair must be "
        "side by side."
    ),
    loses=["pairs"],
    edit=(
        "torch.stack([angles.sin(), angles.cos()], 2).flatten(1)",
        "torch.cat([angles.sin(), angles.cos()], 1)",
    ),
)

wrong(
    "row-twice",
    says="Both halves hold the row's code. The second half must be the column's.",
    edit=("[down, across]", "[down, down]"),
)

wrong(
    "sine-last",
    says="Sine and cosine are swapped. The sine comes first in each pair.",
    edit=("[angles.sin(), angles.cos()]", "[angles.cos(), angles.sin()]"),
)

wrong(
    "whole-width",
    "the exponents of a code of width d",
    says="Your exponents are 2i/d. Each of the two codes is d/2 wide, so they are 2i/(d/2).",
    loses=["pairs"],
    edit=("torch.arange(0, w, 2) / w", "torch.arange(0, w, 2) / d"),
)

broken("if d % 4:", "if d % 2:")
broken("10000.0 **", "1000.0 **")
broken(
    "torch.stack([angles.sin(), angles.cos()], 2)", "torch.stack([angles.sin(), angles.cos()], 1)"
)
broken("down = code(rows)[:, None]", "down = code(rows).flip(0)[:, None]")
