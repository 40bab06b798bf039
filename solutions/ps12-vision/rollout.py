@right("heads", "the residual path of each head, products from the left")
def rollout(maps, rows, columns):
    T = 1 + rows * columns
    I = torch.eye(T, dtype=maps[0].dtype)
    R = torch.eye(T, dtype=maps[0].dtype).expand(len(maps[0]), T, T)
    for A in reversed(maps):
        R = R @ ((A + I) * 0.5).mean(1)
    picture = R[:, 0, 1:].unflatten(1, (rows, columns))
    return picture / picture.sum(dim=(1, 2), keepdim=True)


@right("vector", "[CLS]'s row alone, carried back")
def rollout(maps, rows, columns):
    row = torch.zeros_like(maps[-1][:, 0, 0])
    row[:, 0] = 1
    for A in maps[::-1]:
        row = row + torch.einsum("bt,bhts->bs", row, A) / A.shape[1]
    row = row[:, 1:]
    return (row / row.sum(1)[:, None]).view(-1, rows, columns)


wrong(
    "all-rows",
    says="You take the mean over the rows of all tokens. Take the row of [CLS].",
    edit=("R[:, 0, 1:]", "R.mean(dim=1)[:, 1:]"),
)

wrong(
    "by-columns",
    says="Your picture is filled column by column. Patches are ordered row by row.",
    edit=("shares.reshape(-1, rows, columns)", "shares.reshape(-1, columns, rows).mT"),
)

wrong(
    "column",
    "the column of [CLS]",
    match="which row or column of R",
    edit=("R[:, 0, 1:]", "R[:, 1:, 0]"),
)

wrong(
    "first-head",
    says="You use only the first head. Take the mean of all heads.",
    loses=["heads", "picture"],
    edit=("A.mean(dim=1)", "A[:, 0]"),
)

wrong(
    "in-place",
    "adds to the weights in place, and fills columns first",
    says="Your picture is filled column by column. Patches are ordered row by row.",
    match="changes the weights",
    edit=[
        ("R = (A.mean(dim=1) + I) / 2 @ R", "A += I\n        R = A.mean(dim=1) / 2 @ R"),
        ("shares.reshape(-1, rows, columns)", "shares.reshape(-1, columns, rows).mT"),
    ],
)

wrong(
    "largest-head",
    "the largest weight of the heads",
    says="You take the largest weight of all heads. Take their mean.",
    loses=["heads", "picture"],
    edit=("A.mean", "A.amax"),
)

wrong(
    "last-layer",
    says="You use only the last layer. Multiply all layers.",
    edit=("/ 2 @ R", "/ 2"),
)

wrong(
    "no-images",
    says="The axis of the images is missing. Return (B, rows, columns).",
    edit=("shares.reshape(-1, rows, columns)", "shares.reshape(rows, columns)"),
)

wrong(
    "no-residual",
    "no residual path",
    says="The residual path is missing. Half of each token stays: (A + I) / 2.",
    edit=("R = (A.mean(dim=1) + I) / 2", "R = A.mean(dim=1)"),
)

wrong(
    "number-by-number",
    says="You multiply the layers element by element. Use a matrix product, @.",
    edit=[
        ("R = I\n", "R = 1\n"),
        ("/ 2 @ R", "/ 2 * R"),
    ],
)

wrong(
    "one-everywhere",
    says="You add 1 to every weight. I is the identity: 1 on the diagonal and 0 elsewhere.",
    edit=("A.mean(dim=1) + I", "A.mean(dim=1) + 1"),
)

wrong(
    "one-row",
    says="The shares are still in one row. Reshape them to (B, rows, columns).",
    edit=("shares.reshape(-1, rows, columns)", "shares"),
)

wrong(
    "order",
    "the product the other way round",
    says=(
        "The product runs the wrong way. R = A_L ... A_2 A_1, with the first layer on the right."
    ),
    edit=("R = (A.mean(dim=1) + I) / 2 @ R", "R = R @ ((A.mean(dim=1) + I) / 2)"),
)

wrong(
    "sum-of-heads",
    says="You add up the heads' weights, so I counts for less. Take their mean.",
    loses=["heads", "picture"],
    edit=("A.mean(dim=1)", "A.sum(dim=1)"),
)

wrong(
    "undivided",
    says=(
        "The shares of the patches do not sum to 1. Leave out [CLS]'s own share, then divide "
        "by the sum."
    ),
    edit=("    shares = shares / shares.sum(dim=-1, keepdim=True)\n", ""),
)

broken("(A.mean(dim=1) + I) / 2 @ R", "(A.mean(dim=1) + 2 * I) / 3 @ R")
broken("for A in maps:", "for A in maps[-2:]:")
broken("shares = R[:, 0, 1:]", "shares = R[:, 1:, 0]")
broken("shares.sum(dim=-1, keepdim=True)", "shares.amax(dim=-1, keepdim=True)")
