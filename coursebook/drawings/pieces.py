"""The pieces that show tensors, and the text and signs between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Required, TypedDict, Unpack

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from torch import Tensor

from coursebook.drawings.colours import (
    CARD,
    FAINT,
    INK,
    NEGATIVE,
    PALE,
    colour,
    text_on,
    tint,
)
from coursebook.drawings.layout import LABEL, NAME, NUMBER, Piece, line_height, text_width

#: Space between a body and its labels, in units.
SPACE = 0.18

#: The mark of a number below zero, which shows its sign without colours.
MINUS = "−"


class Labels(TypedDict, total=False):
    """The text around a body: see :class:`_Labelled`."""

    name: Required[str]
    shape: Required[str]
    rows: Sequence[str]
    columns: Sequence[str]


class _Labelled(Piece):
    """A body with a name above, a shape below, and a label for each row and column."""

    def __init__(
        self,
        size: tuple[float, float],
        name: str,
        shape: str,
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
    ) -> None:
        width, height = size
        self.name, self.shape, self.rows, self.columns = name, shape, list(rows), list(columns)
        left = max((text_width(row, LABEL) for row in rows), default=0.0)
        left += SPACE if rows else 0.0
        tall = max((text_width(column, LABEL) for column in columns), default=0.0)
        self._head = tall + 2 * SPACE if columns else 0.0  # column labels are rotated
        self.above = height / 2 + self._head + line_height(name, NAME)
        self.below = height / 2 + line_height(shape, LABEL) + (0.05 if shape else 0)
        # A name or shape wider than the body sticks out on both sides.
        out = max(text_width(name, NAME), text_width(shape, LABEL)) - width
        left = max(left, out / 2)
        self.width = left + width + max(out / 2, 0.0)
        self.body = (left, -height / 2, width, height)

    def draw(self, ax: Axes) -> None:
        left, top, width, height = self.body
        x, y = self.x + left, self.y + top
        middle = x + width / 2
        if self.name:
            ax.text(middle, y - self._head - 0.12, self.name, size=NAME, ha="center", va="bottom")
        if self.shape:
            below = y + height + 0.12
            ax.text(middle, below, self.shape, size=LABEL, ha="center", va="top", color="#4c535d")
        for i, row in enumerate(self.rows):
            down = y + (i + 0.5) * height / len(self.rows)
            ax.text(x - SPACE, down, row, size=LABEL, ha="right", va="center_baseline")
        for j, column in enumerate(self.columns):
            across = x + (j + 0.5) * width / len(self.columns)
            ax.text(
                across, y - SPACE, column, size=LABEL, ha="center", va="bottom", rotation=90
            )  # fmt: skip


class _Grid(_Labelled):
    """A rectangle of cells; :meth:`look` gives each one's fill, edge and text."""

    def __init__(
        self,
        table: np.ndarray,
        cell: float,
        marked: Sequence[tuple[int, int]] = (),
        **labels: Unpack[Labels],
    ) -> None:
        self.table, self.cell, self.marked = table, cell, marked
        super().__init__((table.shape[1] * cell, table.shape[0] * cell), **labels)

    def draw(self, ax: Axes) -> None:
        super().draw(ax)
        left, top, _, _ = self.body
        for i, row in enumerate(self.table):
            for j, value in enumerate(row):
                fill, edge, text = self.look(value)
                corner = (self.x + left + j * self.cell, self.y + top + i * self.cell)
                square = Rectangle(
                    corner, self.cell, self.cell, facecolor=fill, edgecolor=edge, lw=0.8
                )
                ax.add_patch(square)
                x, y = (c + self.cell / 2 for c in corner)
                if text == MINUS:  # fits a cell of any size
                    half = 0.28 * self.cell
                    ax.plot(
                        [x - half, x + half], [y, y], color=text_on(fill), lw=self.cell,
                        solid_capstyle="butt",
                    )  # fmt: skip
                elif text:
                    ax.text(
                        x, y, text, size=NUMBER, ha="center", va="center_baseline",
                        color=text_on(fill),
                    )  # fmt: skip
        for i, j in self.marked:  # above the neighbours' edges
            corner = (self.x + left + j * self.cell, self.y + top + i * self.cell)
            ax.add_patch(
                Rectangle(corner, self.cell, self.cell, fill=False, edgecolor=INK, lw=2.2, zorder=3)
            )

    def look(self, value: float) -> tuple[str, str, str]:
        raise NotImplementedError

    def tensors(self) -> list:
        return [self.table.tolist()]


class _Matrix(_Grid):
    def __init__(
        self,
        table: np.ndarray,
        role: str,
        numbers: bool,
        digits: int,
        largest: float | None,
        **more: Any,
    ) -> None:
        self.colour, self.numbers, self.digits = colour(role), numbers, digits
        finite = np.abs(table[np.isfinite(table)])
        own = float(finite.max()) if finite.size and finite.max() > 0 else 1.0
        self.largest = own if largest is None else largest
        super().__init__(table, **more)

    def look(self, value: float) -> tuple[str, str, str]:
        edge = tint(self.colour, 0.85)
        if not np.isfinite(value):
            text = str(value).replace("inf", "∞").replace("nan", "NaN")
            return PALE, edge, text.replace("-", MINUS) if self.numbers else ""
        hue = NEGATIVE if value < 0 else self.colour
        fill = tint(hue, 0.8 * min(abs(value) / self.largest, 1.0))
        # Adding 0 turns -0 into 0. A number that is written has its own minus.
        text = f"{value + 0.0:.{self.digits}f}".replace("-", MINUS)
        return fill, edge, text if self.numbers else MINUS if value < 0 else ""


class _Mask(_Grid):
    def look(self, value: float) -> tuple[str, str, str]:
        return (tint(INK, 0.75), CARD, "✓") if value else (PALE, CARD, "×")


def _as_table(tensor: Tensor, kind: str) -> np.ndarray:
    table = np.asarray(tensor.detach().cpu() if isinstance(tensor, Tensor) else tensor, float)
    if table.ndim not in (1, 2) or table.size == 0:
        raise ValueError(
            f"{kind} draws a vector or a matrix, got a tensor of shape {tuple(table.shape)}"
        )
    return table


def _shape(table: np.ndarray, shape: str | None) -> str:
    return " × ".join(map(str, table.shape)) if shape is None else shape


def matrix(
    tensor: Tensor,
    name: str = "",
    *,
    role: str = "plain",
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    numbers: bool = False,
    digits: int = 0,
    cell: float = 1.0,
    shape: str | None = None,
    largest: float | None = None,
    marked: Sequence[tuple[int, int]] = (),
) -> Piece:
    """A vector (as a row) or a matrix: a square for each number, stronger the larger its size.

    Zero is white. A number above zero has the colour of its role. A number below zero is yellow and
    has a minus, so that its sign is visible in grey too.

    Parameters
    ----------
    tensor:
        ``(n,)`` or ``(m, n)``.
    name:
        Text above, such as ``"$Q$"``.
    role:
        Which colour to use: ``"q"``, ``"k"``, ``"v"``, ``"residual"``, ``"norm"`` or ``"plain"``.
    rows, columns:
        A label for each row and each column.
    numbers, digits:
        Whether to write each number into its square, and with how many decimals.
    cell:
        The side of a square; a one-digit number fits in 1.
    shape:
        Text below; by default the tensor's shape. Empty for none.
    largest:
        The size at which a colour is strongest, so that several matrices can share one scale; by
        default the tensor's own largest.
    marked:
        The squares with a thick edge, as (row, column).

    Raises
    ------
    ValueError
        If the tensor does not have one or two axes, the labels do not fit it, the role is unknown,
        or ``largest`` is not above 0.
    """
    table = _as_table(tensor, "matrix")
    said = _shape(table, shape)
    table = np.atleast_2d(table)
    _fit(table, rows, columns)
    if largest is not None and largest <= 0:
        raise ValueError(f"largest must be above 0, got {largest}")
    labels = {"name": name, "shape": said, "rows": rows, "columns": columns}
    return _Matrix(table, role, numbers, digits, largest, cell=cell, marked=marked, **labels)


def mask_grid(
    mask: Tensor,
    name: str = "",
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    cell: float = 0.8,
    shape: str | None = None,
) -> Piece:
    """A boolean mask: dark with a tick = may be attended to, light with a cross = hidden.

    ``mask`` is ``(T, S)`` or ``(S,)``; the other parameters are those of :func:`matrix`.
    """
    table = _as_table(mask, "mask_grid")
    said = _shape(table, shape)
    table = np.atleast_2d(table)
    _fit(table, rows, columns)
    return _Mask(table, cell, name=name, shape=said, rows=rows, columns=columns)


def _fit(table: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    for kind, labels, size in (("rows", rows, len(table)), ("columns", columns, table.shape[1])):
        if len(labels) not in (0, size):
            raise ValueError(f"{kind} must hold {size} labels, one for each, got {len(labels)}")


class _Block(_Labelled):
    def __init__(
        self, text: str, role: str, size: tuple[float, float], **labels: Unpack[Labels]
    ) -> None:
        self.text, self.colour = text, colour(role)
        super().__init__(size, **labels)

    def draw(self, ax: Axes) -> None:
        super().draw(ax)
        left, top, width, height = self.body
        corner = (self.x + left, self.y + top)
        fill = tint(self.colour, 0.14)
        ax.add_patch(
            Rectangle(corner, width, height, facecolor=fill, edgecolor=self.colour, lw=1.4)
        )
        middle = (corner[0] + width / 2, corner[1] + height / 2)
        ax.text(*middle, self.text, size=NAME, ha="center", va="center", color=text_on(fill))


def block(
    text: str,
    *,
    role: str = "plain",
    width: float | None = None,
    height: float = 1.5,
    name: str = "",
    shape: str = "",
) -> Piece:
    """A box with text in it: a layer, or a matrix too large to show its numbers.

    ``width`` fits the text by default; ``name`` goes above the box and ``shape`` below it.
    """
    width = text_width(text, NAME) + 0.8 if width is None else width
    height = max(height, line_height(text, NAME) + 0.4)
    return _Block(text, role, (width, height), name=name, shape=shape)


class _Frame(Piece):
    def __init__(self, piece: Piece, text: str, room: float) -> None:
        self.text, head = text, line_height(text, NAME) + 2 * SPACE
        self.width = max(piece.width + 2 * room, text_width(text, NAME) + 2 * SPACE)
        self.parts = [(piece, (self.width - piece.width) / 2, 0.0)]
        self.above, self.below = piece.above + head, piece.below + 2 * SPACE
        self.body = (0.0, -self.above, self.width, self.above + self.below)

    def draw(self, ax: Axes) -> None:
        corner = (self.x, self.y - self.above)
        size = (self.width, self.above + self.below)
        ax.add_patch(Rectangle(corner, *size, facecolor=PALE, edgecolor=FAINT, lw=1.0))
        ax.text(
            corner[0] + SPACE, corner[1] + SPACE, self.text, size=NAME, ha="left", va="top"
        )  # fmt: skip
        super().draw(ax)


def frame(piece: Piece, text: str = "", *, room: float = 0.6) -> Piece:
    """A piece in a frame, such as a block that is repeated, with text in its top left corner.

    ``room`` is the space on either side, in cells; arrows that lead past a part need it.
    """
    return _Frame(piece, text, room)


class _Words(Piece):
    def __init__(self, text: str, size: float, role: str) -> None:
        self.text, self.size, self.colour = text, size, colour(role)
        self.width = text_width(text, size)
        self.above = self.below = line_height(text, size) / 2
        self.body = (0.0, -self.above, self.width, 2 * self.above)

    def draw(self, ax: Axes) -> None:
        x = self.x + self.width / 2
        ax.text(
            x, self.y, self.text, size=self.size, ha="center", va="center", color=self.colour
        )  # fmt: skip


def words(text: str, *, role: str = "plain", size: float = LABEL) -> Piece:
    """A few words, on one or more lines, in the colour of ``role``."""
    return _Words(text, size, role)


def sign(text: str) -> Piece:
    """A sign between two pieces, such as ``"×"``, ``"="`` or ``"+"``."""
    return _Words(text, 15.0, "plain")


class _Step(Piece):
    def __init__(self, text: str, length: float) -> None:
        self.text = text
        self.width = max(length, text_width(text, LABEL) + 0.3)
        self.above, self.below = line_height(text, LABEL) + 0.15, 0.3
        self.body = (0.0, -0.15, self.width, 0.3)

    def draw(self, ax: Axes) -> None:
        ends = (self.x, self.y), (self.x + self.width, self.y)
        ax.add_patch(arrow_patch(*ends))
        middle = self.x + self.width / 2
        ax.text(middle, self.y - 0.15, self.text, size=LABEL, ha="center", va="bottom")


def step(text: str = "", *, length: float = 1.2) -> Piece:
    """An arrow from the piece on its left to the piece on its right, with text above."""
    return _Step(text, length)


def arrow_patch(
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    colour: str = INK,
    width: float = 1.3,
    curve: float = 0.0,
) -> FancyArrowPatch:
    """The only kind of arrow in the course."""
    return FancyArrowPatch(
        start, end, arrowstyle=f"-|>,head_length={4 + width},head_width={2 + width / 2}",
        mutation_scale=1.0, color=colour, lw=width, shrinkA=0, shrinkB=0,
        connectionstyle=f"arc3,rad={curve}", joinstyle="miter",
    )  # fmt: skip
