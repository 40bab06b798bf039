"""Mistakes in placing patches, in adding [CLS] and in following attention, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. What is
right stands above them, for the hidden tests.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once

Grid = tuple[int, int]


# -- what is right ---------------------------------------------------------------------------------


def codes_of(rows: int, columns: int, d: int) -> Tensor:
    """Codes of row and column side by side, ``(rows * columns, d)``."""
    r, c = torch.arange(rows), torch.arange(columns)
    return torch.cat([_sinusoids(r.repeat_interleave(columns), d // 2),
                      _sinusoids(c.repeat(rows), d // 2)], 1)  # fmt: skip


def tokens_of(patches: Tensor, W_P: Tensor, b_P: Tensor, c: Tensor, P: Tensor) -> Tensor:
    """[CLS] and the patches with their positions, ``(B, N + 1, D)``."""
    return torch.cat([c.expand(len(patches), 1, -1), patches @ W_P + b_P], 1) + P


def logits_of(
    h: Tensor,
    gain: Tensor,
    bias: Tensor,
    W: Tensor,
    b: Tensor,
    pool: str = "cls",
    eps: float = 1e-6,
) -> Tensor:
    """What a linear layer makes of the normalised [CLS], or of the patches' mean."""
    h = F.layer_norm(h, gain.shape, gain, bias, eps)
    return (h[:, 0] if pool == "cls" else h[:, 1:].mean(1)) @ W + b


def rollout_of(maps: Sequence[Tensor], rows: int, columns: int) -> Tensor:
    """The share of each patch in [CLS], ``(B, rows, columns)``."""
    R = torch.eye(maps[0].shape[-1], dtype=maps[0].dtype)
    for A in maps:
        R = (A.mean(1) + torch.eye(A.shape[-1], dtype=A.dtype)) @ R
    return _picture(R[:, 0, 1:], rows, columns)


def resized_of(P: Tensor, old: Grid, new: Grid) -> Tensor:
    """Positions of another grid, corners on corners; that of [CLS] as it was."""
    table = P[1:].reshape(1, *old, -1).permute(0, 3, 1, 2)
    table = F.interpolate(table, new, mode="bilinear", align_corners=True)
    return torch.cat([P[:1], table[0].flatten(1).mT])


# -- positions, and [CLS] --------------------------------------------------------------------------


@later
def code_mistakes(rows: int, columns: int, d: int) -> dict[str, Tensor]:
    """What known mistakes make of the codes ``(rows * columns, d)`` of a grid's positions."""
    r = torch.arange(rows).repeat_interleave(columns)
    c = torch.arange(columns).repeat(rows)
    half = d // 2
    right = codes_of(rows, columns, d)
    row, column = right[:, :half], right[:, half:]
    # Numbers the positions column by column: position n lies in column n // rows.
    turned = (torch.arange(columns) + torch.arange(rows)[:, None] * columns).mT.flatten()
    found = {
        "Your exponents are 2i/d. Each of the two codes is d/2 wide, so they are 2i/(d/2).": (
            torch.cat([_sinusoids(r, half, d), _sinusoids(c, half, d)], 1)
        ),
        "The column comes first in your codes. The first half of a code is that of the row.": (
            torch.cat([column, row], 1)
        ),
        "Your codes are in column order. Order them row by row, as the patches are.": right[turned],
        "You return the flat code, which encodes the patch's number. Row and column each have "
        "their own code.": _sinusoids(torch.arange(rows * columns), d),
        "You add the codes of row and column. Put them side by side.": (
            _sinusoids(r, d) + _sinusoids(c, d)
        ),
        "In each half, all sines come before all cosines. The two of a pair must be side by "
        "side.": (torch.cat([row[:, ::2], row[:, 1::2], column[:, ::2], column[:, 1::2]], 1)),
        "The numbers of the row's code and of the column's code alternate. Put all of the row's "
        "code first, then the column's.": torch.stack([row, column], 2).flatten(1),
        "You count rows and columns from 1. The first of each is number 0.": (
            torch.cat([_sinusoids(r + 1, half), _sinusoids(c + 1, half)], 1)
        ),
        "Sine and cosine are swapped.": right.unflatten(1, (-1, 2)).flip(-1).flatten(1),
        "Both halves hold the row's code.": torch.cat([row, row], 1),
        "Both halves hold the column's code.": torch.cat([column, column], 1),
        "Your codes still form a grid. Flatten rows and columns into one axis.": (
            right.reshape(rows, columns, d)
        ),
    }
    return told_once(others(found, right))


@later
def token_mistakes(
    patches: Tensor, W_P: Tensor, b_P: Tensor, c: Tensor, P: Tensor
) -> dict[str, Tensor]:
    """What known mistakes make of the encoder's input ``(B, N + 1, D)``."""
    x = patches @ W_P + b_P
    (B, N, _), first = x.shape, c.expand(len(x), 1, -1)
    whole = torch.cat([first, x], 1)
    found = {
        "[CLS] is at the end. It must be the first token.": torch.cat([x, first], 1) + P,
        "[CLS] gets no position. Put it in front first, then add P to all tokens.": (
            torch.cat([first, x + P[1:]], 1)
        ),
        "The positions are added before [CLS] is put in front, so [CLS] has none, and each "
        "patch has that of the token before it.": torch.cat([first, x + P[:-1]], 1),
        "All tokens get the same row of P, the last one, so their positions are lost.": (
            whole + P[N]
        ),
        "All tokens get the same row of P, the first one, so their positions are lost.": (
            whole + P[0]
        ),
        "Row n of P goes to image n of the batch. It belongs to token n of every image.": (
            whole + P[:B, None] if B <= N + 1 else whole
        ),
        "The positions are missing: add P.": whole,
        "b_P is missing.": whole + P - torch.cat([0 * first, 0 * x + b_P], 1),
        "You add b_P to [CLS], too. It is not a patch: its vector is c.": (
            whole + P + torch.cat([0 * first + b_P, 0 * x], 1)
        ),
        "[CLS] replaces the first patch. Put it in front of the patches.": (
            torch.cat([first, x[:, 1:]], 1) + P[:N]
        ),
        "Only the first image has a [CLS].": (
            torch.cat([torch.cat([first[:1], 0 * first[1:]]), x], 1) + P
        ),
        "[CLS] is missing.": x + P[1:],
    }
    return told_once(others(found, whole + P))


@later
def logit_mistakes(
    h: Tensor, gain: Tensor, bias: Tensor, W: Tensor, b: Tensor, pool: str
) -> dict[str, Tensor]:
    """What known mistakes make of the logits ``(B, classes)``."""

    def norm(x: Tensor) -> Tensor:
        return F.layer_norm(x, gain.shape, gain, bias, 1e-6)

    y = norm(h)
    right = logits_of(h, gain, bias, W, b, pool)
    other = logits_of(h, gain, bias, W, b, "mean" if pool == "cls" else "cls")
    read = "mean" if pool == "cls" else "cls"
    found = {
        f'This is right for pool = "{read}". Here pool is "{pool}".': other,
        "The mean is over all tokens, including [CLS]. Leave [CLS] out.": y.mean(1) @ W + b,
        "You read the last token. [CLS] is the first.": y[:, -1] @ W + b,
        "The norm is missing.": (h[:, 0] if pool == "cls" else h[:, 1:].mean(1)) @ W + b,
        "The norm comes after the mean. Normalise each token first.": (
            norm(h[:, 1:].mean(1)) @ W + b
        ),
        "You add up the patches. Take their mean.": y[:, 1:].sum(1) @ W + b,
        "b is missing.": right - b,
        "You return probabilities. Return the logits.": right.softmax(-1),
        "You return logits for every token. Return one row for each image.": y @ W + b,
        "Gain and bias of the norm are missing.": (
            logits_of(h, torch.ones_like(gain), torch.zeros_like(bias), W, b, pool)
        ),
        "Your ε is 10⁻⁵, the default of layer_norm. Here it is 10⁻⁶.": (
            logits_of(h, gain, bias, W, b, pool, eps=1e-5)
        ),
    }
    return told_once(others(found, right))


# -- looking back, and other sizes -----------------------------------------------------------------


@later
def rollout_mistakes(maps: Sequence[Tensor], rows: int, columns: int) -> dict[str, Tensor]:
    """What known mistakes make of the shares of the patches in [CLS], ``(B, rows, columns)``."""
    T, dtype = maps[0].shape[-1], maps[0].dtype
    means = [A.mean(1) for A in maps]
    eye = torch.eye(T, dtype=dtype)

    def product(each: Sequence[Tensor], forward: bool = True) -> Tensor:
        R = eye
        for A in each:
            R = A @ R if forward else R @ A
        return R

    halves = [(A + eye) / 2 for A in means]
    R = product(halves)
    right = rollout_of(maps, rows, columns)

    def picture(R: Tensor) -> Tensor:
        return _picture(R[:, 0, 1:], rows, columns)

    found = {
        "The product runs the wrong way. R = A_L ... A_2 A_1, with the first layer on the right.": (
            picture(product(halves, forward=False))
        ),
        "The residual path is missing. Half of each token stays: (A + I) / 2.": (
            picture(product(means))
        ),
        "You add 1 to every weight. I is the identity: 1 on the diagonal and 0 elsewhere.": (
            picture(product([A + 1 for A in means]))
        ),
        "You multiply the layers number by number. Use a matrix product, @.": (
            picture(torch.stack(halves).prod(0))
        ),
        "You take the largest weight of all heads. Take their mean.": (
            picture(product([A.amax(1) + eye for A in maps]))
        ),
        "You use only the first head. Take the mean of all.": (
            picture(product([A[:, 0] + eye for A in maps]))
        ),
        "You add up the heads' weights, so I counts for less. Take their mean.": (
            picture(product([A.sum(1) + eye for A in maps]))
        ),
        "You take [CLS]'s column. Its row says what went into it.": (
            _picture(R[:, 1:, 0], rows, columns)
        ),
        "You take the mean over all tokens' rows. Take [CLS]'s row.": (
            _picture(R.mean(1)[:, 1:], rows, columns)
        ),
        "The shares of the patches do not sum to 1. Leave out [CLS]'s own share, then divide by "
        "the sum.": (R[:, 0, 1:].reshape(-1, rows, columns)),
        "You use only the last layer.": picture(means[-1]),
        "You use only the first layer.": picture(means[0]),
        "You take the mean of the layers. Multiply them.": picture(torch.stack(halves).mean(0)),
        "Your picture is filled column by column. Patches are ordered row by row.": (
            right.reshape(-1, columns, rows).mT
        ),
        "The shares are still in one row. Reshape them to (B, rows, columns).": right.flatten(1),
    }
    if len(right) == 1:
        found["The axis of the images is missing. Return (B, rows, columns)."] = right[0]
    return told_once(others(found, right))


@later
def resize_mistakes(P: Tensor, old: Grid, new: Grid) -> dict[str, Tensor]:
    """What known mistakes make of positions ``(1 + rows · columns, D)`` for another grid."""
    table = P[1:].reshape(*old, -1)
    down = torch.linspace(0, old[0] - 1, new[0], dtype=P.dtype)
    across = torch.linspace(0, old[1] - 1, new[1], dtype=P.dtype)

    def resized(indexing: str, turned: bool) -> Tensor:
        y, x = torch.meshgrid(down, across, indexing=indexing)
        return torch.cat([P[:1], (_at(table, x, y) if turned else _at(table, y, x)).flatten(0, 1)])

    pixels = table.permute(2, 0, 1)[None]
    found = {
        "This is what `published_resized` does. It is right only for square grids.": (
            resized("xy", False)
        ),
        "The corners of your grid do not meet the corners of the old one. The first row must "
        "stay the first, and the last row the last.": torch.cat(
            [P[:1], F.interpolate(pixels, new, mode="bilinear")[0].flatten(1).mT]
        ),
        "The row of [CLS] is missing.": resized_of(P, old, new)[1:],
        "Your grid begins with the row of [CLS], row 0 of P, and its last patch is missing. The "
        "patches start at row 1.": resized_of(torch.cat([P[:1], P[:-1]]), old, new),
    }
    if old[0] == old[1] and new[0] == new[1]:
        found[
            "Rows and columns are swapped: you have fixed one of the two mistakes, and the "
            "other shows now."
        ] = resized("ij", False)
    else:
        found |= {
            "Rows and columns of your new grid are swapped: new is (rows, columns).": (
                resized_of(P, old, (new[1], new[0]))
            ),
            "The points are in the right order now, but you still pass `at` their rows as "
            "columns. It takes the column first.": resized("ij", False),
            "The arguments of `at` are right now, but your grid still comes out column by "
            "column. Look at the order of the points.": resized("xy", True),
        }
    return told_once(others(found, resized_of(P, old, new)))


# -- parts -----------------------------------------------------------------------------------------


def _sinusoids(positions: Tensor, d: int, of: int | None = None) -> Tensor:
    exponents = torch.arange(0, d, 2).double() / (of or d)
    angles = positions.double()[:, None] / 1e4**exponents
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1).float()


def _picture(shares: Tensor, rows: int, columns: int) -> Tensor:
    return (shares / shares.sum(-1, keepdim=True)).reshape(-1, rows, columns)


def _at(table: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Between the positions of a table, column first."""
    rows, columns, _ = table.shape
    x, y = x.clamp(0, columns - 1), y.clamp(0, rows - 1)
    left, top = x.long(), y.long()
    right, below = (left + 1).clamp(max=columns - 1), (top + 1).clamp(max=rows - 1)
    u, v = (x - left)[..., None], (y - top)[..., None]
    above = (1 - u) * table[top, left] + u * table[top, right]
    return (1 - v) * above + v * ((1 - u) * table[below, left] + u * table[below, right])
