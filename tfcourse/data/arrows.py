"""Images of four letters and an arrow, in which it is known where a model must look.

The arrow in the middle points at one of the letters, and that letter is the class. Everything is
generated: letters and arrows are slightly rotated and shifted, with short dashes around them.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from tfcourse.arguments import whole
from tfcourse.data.corpus import Images
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded

if TYPE_CHECKING:
    from torch import Tensor

#: Side of an image, and of the square in which one letter or arrow is drawn, in pixels.
SIDE, GLYPH = 28, 9

#: The classes, and their strokes: lines from point to point, across and down from the centre.
STROKES: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "A": (((-2.5, 2.5), (0, -2.5), (2.5, 2.5)), ((-1.25, 1), (1.25, 1))),
    "E": (((2, -2.5), (-2, -2.5), (-2, 2.5), (2, 2.5)), ((-2, 0), (1.5, 0))),
    "H": (((-2, -2.5), (-2, 2.5)), ((2, -2.5), (2, 2.5)), ((-2, 0), (2, 0))),
    "L": (((-2, -2.5), (-2, 2.5), (2, 2.5)),),
    "T": (((-2.5, -2.5), (2.5, -2.5)), ((0, -2.5), (0, 2.5))),
    "X": (((-2.5, -2.5), (2.5, 2.5)), ((-2.5, 2.5), (2.5, -2.5))),
}
LETTERS = tuple(STROKES)

#: An arrow that points to the right.
ARROW = (((-3.5, 0), (3.5, 0)), ((1, -2.5), (3.5, 0), (1, 2.5)))

#: The corners, in the order of their indices, and the angle of an arrow to each.
CORNERS = {"top left": 225, "top right": 315, "bottom left": 135, "bottom right": 45}

#: Possible rotations of a letter or an arrow, in degrees.
TURNS = (-20, -10, 0, 10, 20)

#: Ranges of a letter's shift from its corner, and of the arrow's position, in pixels.
LETTER_MOVES, ARROW_PLACES = (-1, 1), (9, 10)

#: The distance from a stroke, in pixels, from which on there is no ink.
REACH = 1.25

#: Where the square of a letter in a right or bottom corner begins.
FAR = SIDE - GLYPH


def distance(x: float, y: float, to_x: float, to_y: float, across: Tensor, down: Tensor) -> Tensor:
    """Distance of points (``across``, ``down``) from the line between two others, in pixels."""
    dx, dy = to_x - x, to_y - y
    along = ((across - x) * dx + (down - y) * dy) / (dx * dx + dy * dy)
    along = along.nan_to_num().clamp(0, 1)  # a line may be a single point
    return ((across - x - along * dx) ** 2 + (down - y - along * dy) ** 2).sqrt()


def ink(distance: Tensor, reach: float = REACH) -> Tensor:
    """How dark a pixel is, 0 to 255, at this distance from the nearest stroke."""
    import torch

    return ((reach - distance).clamp(0, 1) * 255).round().to(torch.uint8)


def stamp(strokes: tuple[tuple[tuple[float, float], ...], ...], degrees: int) -> Tensor:
    """Strokes drawn in a square of ``GLYPH`` pixels, rotated clockwise: uint8 ``(9, 9)``."""
    import torch

    # Rounded, so that every machine draws the same.
    cos, sin = (round(f(math.radians(degrees)), 9) for f in (math.cos, math.sin))
    at = torch.arange(GLYPH, dtype=torch.float64) - (GLYPH - 1) / 2
    down, across = at[:, None], at[None, :]
    nearest = torch.full((GLYPH, GLYPH), 9.0, dtype=torch.float64)
    for line in strokes:
        turned = [(x * cos - y * sin, x * sin + y * cos) for x, y in line]
        for (x, y), (to_x, to_y) in zip(turned, turned[1:], strict=False):
            nearest = torch.minimum(nearest, distance(x, y, to_x, to_y, across, down))
    return ink(nearest)


@cache
def stamps() -> tuple[Tensor, Tensor, Tensor]:
    """All drawings: letters ``(8, 5, 9, 9)``, arrows ``(4, 5, 9, 9)`` and dashes ``(4, 9, 9)``."""
    import torch

    letters = [[stamp(STROKES[one], turn) for turn in TURNS] for one in LETTERS]
    arrows = [[stamp(ARROW, angle + turn) for turn in TURNS] for angle in CORNERS.values()]
    dashes = [stamp((((-1, 0), (1, 0)),), angle) for angle in (0, 45, 90, 135)]
    together = [torch.stack([torch.stack(row) for row in rows]) for rows in (letters, arrows)]
    return together[0], together[1], torch.stack(dashes)


@embedded("arrows", labels=LETTERS)
def _make(
    split: str, *, examples: int = 16_000, held_out: int = 1_000, clutter: int = 4, seed: int = 0
) -> Images:
    import torch

    whole(1, 40_000, examples=examples)
    whole(1, 4_000, held_out=held_out)
    whole(0, 16, clutter=clutter)
    whole(0, seed=seed)
    draw = Draw(f"arrows {split} {seed}")
    rows = [scene(draw, clutter) for _ in range(examples if split == "train" else held_out)]
    letters, arrows, dashes = stamps()
    pixels = torch.zeros(len(rows), SIDE + 2, SIDE + 2, dtype=torch.uint8)  # a margin of 1
    for n in range(4):
        kind, turn, top, left = torch.tensor([row[0][n] for row in rows]).T
        _paste(pixels, letters[kind, turn], top, left)
    corner, turn, top, left = torch.tensor([row[1] for row in rows]).T
    _paste(pixels, arrows[corner, turn], top, left)
    for n in range(clutter):
        kind, top, left = torch.tensor([row[2][n] for row in rows]).T
        _paste(pixels, dashes[kind], top, left)
    all_four = torch.tensor([[letter[0] for letter in row[0]] for row in rows])  # (N, 4)
    labels = all_four.gather(1, corner[:, None])[:, 0]
    return Images(pixels[:, None, 1:-1, 1:-1].contiguous(), labels, corner)


def scene(draw: Draw, clutter: int) -> tuple:
    """One image in numbers: four different letters, an arrow, and dashes."""
    letters = []
    for n, kind in enumerate(draw.some(range(len(LETTERS)), 4)):
        top, left = (draw.between(*LETTER_MOVES) for _ in range(2))
        top = FAR - top if n >= 2 else top
        left = FAR - left if n % 2 else left
        letters.append((kind, draw.below(len(TURNS)), top, left))
    corner, turn = draw.below(len(CORNERS)), draw.below(len(TURNS))
    arrow = (corner, turn, draw.between(*ARROW_PLACES), draw.between(*ARROW_PLACES))
    dashes = [(draw.below(4), draw.between(0, FAR), draw.between(0, FAR)) for _ in range(clutter)]
    return letters, arrow, dashes


def _paste(pixels: Tensor, drawn: Tensor, top: Tensor, left: Tensor) -> None:
    """Paste a drawing into each image; where two overlap, the darker wins."""
    import torch

    at = torch.arange(GLYPH) + 1  # after the margin
    n = torch.arange(len(pixels))[:, None, None]
    where = n, (top[:, None] + at)[:, :, None], (left[:, None] + at)[:, None, :]
    pixels[where] = torch.maximum(pixels[where], drawn)
