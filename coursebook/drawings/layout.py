"""How pieces are laid out: side by side on one axis, or stacked.

A piece knows its size and draws itself wherever it is placed. One unit is :data:`UNIT` points; y
grows downwards. The *axis* of a piece is the height of the middle of its body: pieces placed side
by side are aligned there, regardless of their titles and labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

#: Points per unit, and font sizes in points: names, labels, numbers in cells.
UNIT = 24.0
NAME, LABEL, NUMBER = 11.0, 9.5, 8.5


@cache
def text_width(text: str, size: float) -> float:
    """The width of the widest line of ``text``, in units."""
    widths = [
        TextPath((0, 0), line, size=size, prop=FontProperties("DejaVu Sans")).get_extents().width
        for line in text.split("\n")
        if line.strip()
    ]
    return max(widths, default=0.0) / UNIT


def line_height(text: str, size: float) -> float:
    """The height of all lines of ``text``, in units; 0 if there is none."""
    return (text.count("\n") + 1) * 1.3 * size / UNIT if text else 0.0


class Piece:
    """Something that can be drawn: its size, its position once placed, and its parts.

    Attributes
    ----------
    width, above, below:
        Its extent in units; ``above`` and ``below`` are measured from its axis.
    body:
        Left, top, width and height of the area that arrows point at, relative to the piece's left
        edge and its axis.
    """

    width: float = 0.0
    above: float = 0.0
    below: float = 0.0
    body: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    parts: Sequence[tuple[Piece, float, float]] = ()
    #: Its position, once it has been placed.
    x: float = math.nan
    y: float = math.nan

    def place(self, x: float, y: float) -> None:
        """Put the left edge at ``x`` and the axis at ``y``, and move the parts along."""
        self.x, self.y = x, y
        for part, right, down in self.parts:
            part.place(x + right, y + down)

    def draw(self, ax: Axes) -> None:
        """Draw the piece where it was placed."""
        for part, _, _ in self.parts:
            part.draw(ax)

    def edge(self, side: str) -> tuple[float, float]:
        """The middle of one side of the body: ``left``, ``right``, ``top`` or ``bottom``."""
        if math.isnan(self.x) or math.isnan(self.y):
            raise ValueError("an arrow's ends must be among the pieces that are drawn")
        left, top, width, height = self.body
        across = {"left": 0.0, "right": width}.get(side, width / 2)
        down = {"top": 0.0, "bottom": height}.get(side, height / 2)
        return self.x + left + across, self.y + top + down

    def tensors(self) -> list:
        """The tensors that are drawn, in order, as nested lists."""
        return [tensor for part, _, _ in self.parts for tensor in part.tensors()]


class _Group(Piece):
    def __init__(self, parts: list[tuple[Piece, float, float]]) -> None:
        if not parts:
            raise ValueError("put at least one piece beside or below another, got none")
        self.parts = parts
        self.width = max(right + part.width for part, right, _ in parts)
        self.above = max(part.above - down for part, _, down in parts)
        self.below = max(part.below + down for part, _, down in parts)
        self.body = (0.0, -self.above, self.width, self.above + self.below)


def beside(*pieces: Piece, gap: float = 0.6) -> Piece:
    """The pieces from left to right, with the middles of their bodies on one line.

    Parameters
    ----------
    pieces:
        What to put side by side.
    gap:
        Space between neighbours, in cells.
    """
    parts, x = [], 0.0
    for piece in pieces:
        parts.append((piece, x, 0.0))
        x += piece.width + gap
    return _Group(parts)


def stack(*pieces: Piece, gap: float = 0.5, align: str = "left") -> Piece:
    """The pieces from top to bottom.

    Parameters
    ----------
    pieces:
        What to stack.
    gap:
        Space between neighbours, in cells.
    align:
        ``"left"`` or ``"centre"``.
    """
    if align not in ("left", "centre"):
        raise ValueError(f"align must be left or centre, got {align!r}")
    height = sum(p.above + p.below for p in pieces) + gap * (len(pieces) - 1)
    widest = max((p.width for p in pieces), default=0.0)
    parts, y = [], -height / 2
    for piece in pieces:
        right = (widest - piece.width) / 2 if align == "centre" else 0.0
        parts.append((piece, right, y + piece.above))
        y += piece.above + piece.below + gap
    return _Group(parts)
