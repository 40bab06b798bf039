@right("loops", "a patch at a time")
def patchify(images, P, Q):
    X, Y = images.shape[2:]
    if X != X // P * P or Y != Y // Q * Q:
        raise ValueError("patches must tile the image")
    pixels = images.movedim(1, 3)
    return torch.stack(
        [
            pixels[:, top : top + P, left : left + Q].flatten(1)
            for top in range(0, X, P)
            for left in range(0, Y, Q)
        ],
        dim=1,
    )


def unpatchify(patches, P, Q, C, X, Y):
    images = patches.new_zeros(len(patches), X, Y, C)
    n = 0
    for top in range(0, X, P):
        for left in range(0, Y, Q):
            patch = patches[:, n].view(-1, P, Q, C)
            images[:, top : top + P, left : left + Q] = patch
            n += 1
    return images.permute(0, 3, 1, 2)


def patch_matrix(kernels):
    return torch.stack([k.movedim(0, 2).flatten() for k in kernels], dim=1)


@right("windows", "windows, and an order of pixels")
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P != 0:
        raise ValueError(f"{X} rows, patches of {P}")
    if Y % Q != 0:
        raise ValueError(f"{Y} columns, patches of {Q}")
    windows = images.unfold(2, P, P).unfold(3, Q, Q)
    windows = windows.flatten(2, 3)  # (B, C, N, P, Q)
    return torch.einsum("bcnpq->bnpqc", windows).flatten(2)


def unpatchify(patches, P, Q, C, X, Y):
    places = torch.arange(X * Y).view(1, 1, X, Y)
    places = patchify(places, P, Q).flatten()
    pixels = patches.reshape(len(patches), X * Y, C)
    images = torch.empty_like(pixels)
    images[:, places] = pixels
    return images.mT.unflatten(2, (X, Y))


def patch_matrix(kernels):
    return patchify(kernels, *kernels.shape[2:])[:, 0].T


wrong(
    "at-steps",
    says=(
        "Your patches take pixels at regular intervals from all over the image. Split a side of "
        "X pixels into X / P patches first and P pixels second."
    ),
    spares=["back", "matrix"],
    edit=[
        (
            "images.reshape(B, C, X // P, P, Y // Q, Q)",
            "images.reshape(B, C, P, X // P, Q, Y // Q)",
        ),
        ("0, 2, 4, 3, 5, 1", "0, 3, 5, 2, 4, 1"),
    ],
)

wrong(
    "back-at-steps",
    says=(
        "The pixels of a patch end up all over the image. On each side of the image, the axis of "
        "the patches comes first and the axis of a patch's pixels second."
    ),
    loses=["back"],
    edit=("0, 5, 1, 3, 2, 4", "0, 5, 3, 1, 4, 2"),
)

wrong(
    "back-channels-last",
    says="Your channels come last. An image here is (C, X, Y).",
    loses=["back"],
    edit=[
        ("0, 5, 1, 3, 2, 4", "0, 1, 3, 2, 4, 5"),
        ("return x.reshape(B, C, X, Y)", "return x.reshape(B, X, Y, C)"),
    ],
)

wrong(
    "back-columns-first",
    says="You put the patches back column by column. They are ordered row by row.",
    loses=["back"],
    edit=[
        ("X // P, Y // Q, P, Q, C", "Y // Q, X // P, P, Q, C"),
        ("0, 5, 1, 3, 2, 4", "0, 5, 2, 3, 1, 4"),
    ],
)

wrong(
    "back-inside-columns",
    says="You read each patch down its columns. Here the order is row, column, channel.",
    loses=["back"],
    edit=("0, 5, 1, 3, 2, 4", "0, 5, 1, 4, 2, 3"),
)

wrong(
    "channel-by-channel",
    says=(
        "Your code makes separate patches of each channel. All numbers of a pixel go into the "
        "same patch."
    ),
    spares=["back", "matrix"],
    edit=[
        ("0, 2, 4, 3, 5, 1", "0, 1, 2, 4, 3, 5"),
        ("return x.reshape(B, (X // P) * (Y // Q), P * Q * C)", "return x.reshape(B, -1, P * Q)"),
    ],
)


@wrong(
    "channels-first",
    "the order of the chapter, and of PyTorch's convolution",
    says=(
        "The channels come first in each of your patches, or in the rows of your matrix, as "
        "in a convolution's kernels. Here the order is row, column, channel."
    ),
)
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P or Y % Q:
        raise ValueError(f"{P} by {Q} does not tile {X} by {Y}")
    x = images.reshape(B, C, X // P, P, Y // Q, Q)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, (X // P) * (Y // Q), P * Q * C)


def unpatchify(patches, P, Q, C, X, Y):
    B = len(patches)
    x = patches.reshape(B, X // P, Y // Q, C, P, Q)
    x = x.permute(0, 3, 1, 4, 2, 5)
    return x.reshape(B, C, X, Y)


def patch_matrix(kernels):
    return kernels.flatten(1).T


wrong(
    "channels-last-reshape",
    says=(
        "The channels come last now, but a reshape alone still takes pixels along the rows of "
        "the whole image. Split both sides first, then move the axes that number the patches "
        "to the front."
    ),
    spares=["back", "matrix"],
    edit=[
        ("images.reshape(B, C, X // P, P, Y // Q, Q)", "images"),
        ("permute(0, 2, 4, 3, 5, 1)", "movedim(1, -1)"),
    ],
)

wrong(
    "columns-first",
    "patches in column order",
    says="Your patches are in column order. Order them row by row, from the top left.",
    spares=["back", "matrix"],
    edit=("2, 4,", "4, 2,"),
)

wrong(
    "cut-off",
    "what does not fit is cut off",
    match="Raise a ValueError",
    loses=["refused"],
    edit=(
        'raise ValueError(f"{P} by {Q} does not tile {X} by {Y}")',
        "X, Y = X // P * P, Y // Q * Q\n        images = images[:, :, :X, :Y]",
    ),
)


wrong(
    "grid-kept",
    says="Your patches still form a grid. Flatten it: (B, N, P Q C).",
    spares=["back", "matrix"],
    edit=("return x.reshape(B, (X // P) * (Y // Q), P * Q * C)", "return x.flatten(3)"),
)

wrong(
    "inside-columns",
    says="Inside a patch you go down the columns. Here the order is row, column, channel.",
    spares=["back", "matrix"],
    edit=("2, 4, 3, 5, 1", "2, 4, 5, 3, 1"),
)

wrong(
    "matrix-flat",
    says=(
        "Your matrix is transposed, and its channels come first. It needs one row for each "
        "number of a patch, in the order row, column, channel."
    ),
    loses=["matrix"],
    edit=("permute(2, 3, 1, 0).flatten(0, 2)", "flatten(1)"),
)

wrong(
    "matrix-mixed",
    says="A reshape alone mixes the kernels. Move the axis of D to the end first.",
    loses=["matrix"],
    edit=("permute(2, 3, 1, 0).flatten(0, 2)", "reshape(-1, len(kernels))"),
)

wrong(
    "matrix-mixed-at-last",
    says=(
        "The order is right, but then a reshape mixes the kernels. Move the axis of D to the end."
    ),
    loses=["matrix"],
    edit=(
        "permute(2, 3, 1, 0).flatten(0, 2)",
        "permute(0, 2, 3, 1).reshape(-1, len(kernels))",
    ),
)

wrong(
    "matrix-swapped",
    says="Rows and columns of the kernels are swapped.",
    loses=["matrix"],
    edit=("2, 3, 1, 0", "3, 2, 1, 0"),
)

wrong(
    "matrix-transposed",
    says=(
        "Your matrix is transposed. A patch is a row and comes on the left, so the matrix has "
        "one row for each of its numbers."
    ),
    loses=["matrix"],
    edit=("permute(2, 3, 1, 0).flatten(0, 2)", "permute(0, 2, 3, 1).flatten(1)"),
)


@wrong(
    "reshape",
    "a reshape alone",
    says=(
        "A reshape alone does not cut an image into patches, or join them: it takes pixels along "
        "the rows of the whole image. Split the axes first, permute them, then join."
    ),
    spares=["matrix"],
)
def patchify(images, P, Q):
    B, C, X, Y = images.shape
    if X % P or Y % Q:
        raise ValueError(f"{P} by {Q} does not tile {X} by {Y}")
    return images.reshape(B, (X // P) * (Y // Q), P * Q * C)


def unpatchify(patches, P, Q, C, X, Y):
    B = len(patches)
    return patches.reshape(B, C, X, Y)


def patch_matrix(kernels):
    return kernels.permute(2, 3, 1, 0).flatten(0, 2)


wrong(
    "same-order",
    "the same permutation is applied to undo it",
    says=(
        "You apply the permutation of `patchify` a second time. To undo it, you need the "
        "inverse permutation."
    ),
    loses=["back"],
    edit=("5, 1, 3, 2, 4", "2, 4, 3, 5, 1"),
)

wrong(
    "swapped",
    says="P and Q are swapped: a patch has P rows and Q columns.",
    spares=["back", "matrix"],
    edit=("def patchify(images, P, Q)", "def patchify(images, Q, P)"),
)

wrong(
    "turned",
    says="Rows and columns are swapped, both of the patches and inside each patch.",
    spares=["back", "matrix"],
    edit=("2, 4, 3, 5, 1", "4, 2, 5, 3, 1"),
)

broken("if X % P or Y % Q:", "if X % P and Y % Q:")
broken("if X % P or Y % Q:", "if X * Y % (P * Q):")
broken("x = x.permute(0, 2, 4, 3, 5, 1)", "x = x.permute(0, 2, 4, 5, 3, 1)")
broken("patches.reshape(B, X // P, Y // Q, P, Q, C)", "patches.reshape(B, Y // Q, X // P, P, Q, C)")
broken("x = x.permute(0, 5, 1, 3, 2, 4)", "x = x.permute(0, 5, 1, 4, 2, 3)")
broken("kernels.permute(2, 3, 1, 0)", "kernels.permute(3, 2, 1, 0)")
