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
    "column",
    "the column of [CLS]",
    told="which row or column of R",
    edit=("R[:, 0, 1:]", "R[:, 1:, 0]"),
)

wrong(
    "in-place",
    "adds to the weights in place, and fills columns first",
    told="changes the weights",
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
    "no-residual",
    "no residual path",
    says="The residual path is missing. Half of each token stays: (A + I) / 2.",
    edit=("R = (A.mean(dim=1) + I) / 2", "R = A.mean(dim=1)"),
)

wrong(
    "order",
    "the product the other way round",
    says=(
        "The product runs the wrong way. R = A_L ... A_2 A_1, with the first layer on the right."
    ),
    edit=("R = (A.mean(dim=1) + I) / 2 @ R", "R = R @ ((A.mean(dim=1) + I) / 2)"),
)

broken("(A.mean(dim=1) + I) / 2 @ R", "(A.mean(dim=1) + 2 * I) / 3 @ R")
broken("for A in maps:", "for A in maps[-2:]:")
broken("shares = R[:, 0, 1:]", "shares = R[:, 1:, 0]")
broken("shares.sum(dim=-1, keepdim=True)", "shares.amax(dim=-1, keepdim=True)")
