"""Mistakes in cutting images into patches and joining them again, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once


def patches_of(images: Tensor, P: int, Q: int) -> Tensor:
    """Patches of ``P`` rows and ``Q`` columns: row, column, channel."""
    return (
        _split(images, P, Q).permute(0, 2, 4, 3, 5, 1).reshape(len(images), -1, _size(images, P, Q))
    )


@later
def patch_mistakes(images: Tensor, P: int, Q: int) -> dict[str, Tensor]:
    """What known mistakes make of the patches ``(B, N, P Q C)`` of images ``(B, C, X, Y)``."""
    B, C, X, Y = images.shape
    size = _size(images, P, Q)
    split = _split(images, P, Q)

    def laid(*order: int) -> Tensor:
        return split.permute(order).reshape(B, -1, size)

    found = {
        "A reshape alone does not cut patches: it takes pixels along the rows of the whole "
        "image. Split both sides first, then move the axes that number the patches to the "
        "front.": (images.reshape(B, -1, size)),
        "The channels come last now, but a reshape alone still takes pixels along the rows of "
        "the whole image. Split both sides first, then move the axes that number the patches to "
        "the front.": images.movedim(1, -1).reshape(B, -1, size),
        "The channels come first in each of your patches, as in a convolution's kernels. Here "
        "the order is row, column, channel.": laid(0, 2, 4, 1, 3, 5),
        "Inside a patch you go down the columns. Here the order is row, column, channel.": (
            laid(0, 2, 4, 5, 3, 1)
        ),
        "Your patches are in column order. Order them row by row, from the top left.": (
            laid(0, 4, 2, 3, 5, 1)
        ),
        "Rows and columns are swapped, both of the patches and inside each patch.": (
            laid(0, 4, 2, 5, 3, 1)
        ),
        "Your patches take pixels at regular steps from all over the image. Split a side of X "
        "pixels into X / P patches first and P pixels second.": (
            images.reshape(B, C, P, X // P, Q, Y // Q)
            .permute(0, 3, 5, 2, 4, 1)
            .reshape(B, -1, size)
        ),
        "Your code makes separate patches of each channel. All numbers of a pixel go into "
        "the same patch.": split.permute(0, 1, 2, 4, 3, 5).reshape(B, -1, P * Q),
        "Your patches still form a grid. Flatten it: (B, N, P Q C).": (
            split.permute(0, 2, 4, 3, 5, 1).flatten(3)
        ),
    }
    if P != Q and X % Q == 0 and Y % P == 0:
        found["P and Q are swapped: a patch has P rows and Q columns."] = patches_of(images, Q, P)
    return told_once(others(found, patches_of(images, P, Q)))


@later
def image_mistakes(patches: Tensor, P: int, Q: int, C: int, X: int, Y: int) -> dict[str, Tensor]:
    """What known mistakes make of the images ``(B, C, X, Y)`` of patches ``(B, N, P Q C)``."""
    B, down, across = len(patches), X // P, Y // Q
    grid = patches.reshape(B, down, across, P, Q, C)

    def joined(x: Tensor, *order: int) -> Tensor:
        return x.permute(order).reshape(B, C, X, Y)

    found = {
        "You read each patch as if its channels came first. Here the order is row, column, "
        "channel.": joined(patches.reshape(B, down, across, C, P, Q), 0, 3, 1, 4, 2, 5),
        "A reshape alone does not put patches side by side. Split the two axes into six, "
        "permute them into the order of the image, and join.": patches.reshape(B, C, X, Y),
        "You apply the permutation of `patchify` a second time. To undo it, you need the inverse "
        "permutation.": joined(grid, 0, 2, 4, 3, 5, 1),
        "You read each patch down its columns. Here the order is row, column, channel.": (
            joined(patches.reshape(B, down, across, Q, P, C), 0, 5, 1, 4, 2, 3)
        ),
        "You put the patches back column by column. They are ordered row by row.": (
            joined(patches.reshape(B, across, down, P, Q, C), 0, 5, 2, 3, 1, 4)
        ),
        "The pixels of a patch end up all over the image. A side is X / P patches first and P "
        "pixels second.": joined(grid, 0, 5, 3, 1, 4, 2),
        "Your channels come last. An image here is (C, X, Y).": (
            grid.permute(0, 1, 3, 2, 4, 5).reshape(B, X, Y, C)
        ),
    }
    return told_once(others(found, joined(grid, 0, 5, 1, 3, 2, 4)))


@later
def matrix_mistakes(kernels: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the matrix ``(P Q C, D)`` of kernels ``(D, C, P, Q)``."""
    D = len(kernels)
    found = {
        "The channels come first in your rows, as in the kernels. The rows must be in the order "
        "of a patch: row, column, channel.": kernels.reshape(D, -1).mT,
        "Rows and columns of the kernels are swapped.": kernels.permute(3, 2, 1, 0).reshape(-1, D),
        "Your matrix is transposed. A patch is a row and comes on the left, so the matrix has "
        "one row for each of its numbers.": kernels.permute(0, 2, 3, 1).reshape(D, -1),
        "Your matrix is transposed, and its channels come first.": kernels.reshape(D, -1),
        "A reshape alone mixes the kernels. Move the axis of D to the end first.": (
            kernels.reshape(-1, D)
        ),
        "The order is right, but then a reshape mixes the kernels. Move the axis of D to the "
        "end.": kernels.permute(0, 2, 3, 1).reshape(-1, D),
    }
    return told_once(others(found, kernels.permute(2, 3, 1, 0).reshape(-1, D)))


def _split(images: Tensor, P: int, Q: int) -> Tensor:
    """``(B, C, X / P, P, Y / Q, Q)``."""
    B, C, X, Y = images.shape
    return images.reshape(B, C, X // P, P, Y // Q, Q)


def _size(images: Tensor, P: int, Q: int) -> int:
    return images.shape[1] * P * Q
