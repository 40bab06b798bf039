@right("interpolate", "PyTorch's own interpolation")
def mended_resized(P, old, new):
    pixels = P[1:].T.reshape(1, -1, *old)
    pixels = F.interpolate(pixels, size=new, mode="bilinear", align_corners=True)
    return torch.cat([P[:1], pixels.flatten(2)[0].T])


@right("matrices", "a matrix for the rows, and one for the columns")
def mended_resized(P, old, new):
    def stretch(n, m):
        at = torch.linspace(0, n - 1, m, dtype=P.dtype)[:, None]
        far = (at - torch.arange(n)).abs()
        return (1 - far).clamp(min=0)

    table = P[1:].unflatten(0, old)
    down, across = (stretch(n, m) for n, m in zip(old, new))
    found = torch.einsum("ir,jc,rcd->ijd", down, across, table)
    return torch.cat([P[:1], found.flatten(0, 1)])


wrong(
    "at-alone",
    "only the call of at is fixed",
    says=(
        "The arguments of `at` are right now, but your grid still comes out column by "
        "column. Look at the order of the points."
    ),
    edit=('indexing="ij"', 'indexing="xy"'),
)

wrong(
    "cls-first",
    says=(
        "Your grid begins with the row of [CLS], row 0 of P, and its last patch is missing. "
        "The patches start at row 1."
    ),
    edit=("P[1:].reshape", "P[:-1].reshape"),
)

wrong(
    "cls-missing",
    says="The row of [CLS] is missing.",
    edit=("torch.cat([P[:1], found.flatten(0, 1)])", "found.flatten(0, 1)"),
)


@wrong(
    "corners-apart",
    says=(
        "The corners of your grid do not meet the corners of the old one. The first row must "
        "stay the first, and the last row the last."
    ),
)
def mended_resized(P, old, new):
    pixels = P[1:].T.reshape(1, -1, *old)
    pixels = F.interpolate(pixels, size=new, mode="bilinear")
    return torch.cat([P[:1], pixels.flatten(2)[0].T])


wrong(
    "new-swapped",
    says="Rows and columns of your new grid are swapped: new is (rows, columns).",
    spares=["square", "class"],
    edit=[
        ("old[0] - 1, new[0]", "old[0] - 1, new[1]"),
        ("old[1] - 1, new[1]", "old[1] - 1, new[0]"),
    ],
)

wrong(
    "order-alone",
    "only the order of the points is fixed",
    says=(
        "The points are in the right order now, but you still pass `at` their rows as "
        "columns. It takes the column first."
    ),
    edit=("table, x, y", "table, y, x"),
)


@wrong(
    "unchanged",
    "as it was",
    says="This is what `published_resized` does. It is right only for square grids.",
    spares=["square", "class"],
)
def mended_resized(P, old, new):
    return published_resized(P, old, new)


wrong(
    "with-class",
    "the row of [CLS] is stretched as well",
    match=r"position of \[CLS\]|change with|\[CLS\]",
    edit=("P[1:].reshape", "(P[1:] + P[:1]).reshape"),
)

broken(
    "across = torch.linspace(0, old[1] - 1, new[1], dtype=P.dtype)",
    "across = torch.linspace(0, old[0] - 1, new[1], dtype=P.dtype)",
)
broken(
    "down = torch.linspace(0, old[0] - 1, new[0], dtype=P.dtype)",
    "down = torch.arange(new[0], dtype=P.dtype) * old[0] / new[0]",
)
broken("torch.cat([P[:1], found.flatten(0, 1)])", "torch.cat([P[-1:], found.flatten(0, 1)])")
