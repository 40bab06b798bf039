"""A whole drawing: placed pieces, arrows between them, and a description."""

from __future__ import annotations

import base64
import io
import os
import re
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from coursebook.drawings.colours import CARD, INK, colour
from coursebook.drawings.layout import LABEL, UNIT, Piece, stack
from coursebook.drawings.pieces import arrow_patch
from coursebook.drawn import FIGURE_CONTENT, content, image_content

#: Margin around the drawing, in units, and the resolution of its PNG, in dots per inch.
MARGIN, DPI = 0.35, 100

#: Settings that keep a reader's own from changing a drawing.
_RC: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "svg.fonttype": "path",
    "svg.hashsalt": "tfcourse",
    "path.simplify": False,
    "figure.constrained_layout.use": False,
    "figure.autolayout": False,
}


@dataclass(frozen=True)
class Arrow:
    """An arrow between two pieces; see :func:`arrow`."""

    start: Piece
    end: Piece
    text: str
    role: str
    sides: tuple[str, str]
    curve: float


def arrow(
    start: Piece,
    end: Piece,
    text: str = "",
    *,
    role: str = "plain",
    sides: tuple[str, str] = ("right", "left"),
    curve: float = 0.0,
) -> Arrow:
    """An arrow from one piece to another, with text at its middle, in the colour of ``role``.

    ``sides`` are the sides it leaves from and arrives at: ``left``, ``right``, ``top``, ``bottom``.
    """
    for side in sides:
        if side not in ("left", "right", "top", "bottom"):
            raise ValueError(f"sides must be left, right, top or bottom, got {side!r}")
    colour(role)
    return Arrow(start, end, text, role, sides, curve)


class Drawing:
    """Pieces and arrows with a description; Jupyter shows it as a vector image.

    Attributes
    ----------
    alt:
        What the drawing shows, for those who cannot see it.
    figure:
        The drawing as a matplotlib figure.
    """

    def __init__(self, piece: Piece, arrows: list[Arrow], alt: str) -> None:
        self.alt = " ".join(alt.split())
        if not self.alt:
            raise ValueError(
                "alt is empty: describe the drawing in a sentence for those who cannot see it"
            )
        self._tensors = piece.tensors()
        with mpl.rc_context(_RC):
            self.figure = _figure(piece, arrows)

    def content(self) -> dict:
        """What the drawing shows, as text and numbers, for comparing two drawings."""
        found = content(self.figure)
        axes = found["axes"][0]
        for tensor in self._tensors:
            table = np.atleast_2d(np.asarray(tensor, float))
            axes["image"].append(image_content(table))
            axes["counts"]["image"].append(list(table.shape))
        return found

    def svg(self) -> str:
        """The drawing as an SVG image, the same bytes every time."""
        return _small(self._saved("svg", metadata={"Date": None, "Creator": None}).decode())

    def png(self) -> bytes:
        """The drawing as a PNG image with 256 colours, for viewers that cannot show vectors."""
        whole = Image.open(io.BytesIO(self._saved("png", dpi=DPI))).convert("RGB")
        target = io.BytesIO()
        # The usual median cut loses the colours of thin lines.
        few = whole.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(target, "PNG", optimize=True)
        return target.getvalue()

    def _saved(self, kind: str, **how: Any) -> bytes:
        target = io.BytesIO()
        with mpl.rc_context(_RC):
            self.figure.savefig(target, format=kind, facecolor=CARD, **how)
        return target.getvalue()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> tuple:
        # An untrusted notebook shows the PNG only; everything else prefers the SVG.
        data = {
            "image/svg+xml": self.svg(),
            "image/png": base64.b64encode(self.png()).decode(),
            "text/plain": self.alt,
        }
        about = {"image/png": {"alt": self.alt}}
        if os.environ.get("TFCOURSE_FIGURE_CONTENT"):
            about[FIGURE_CONTENT] = self.content()
        return data, about


def draw(*pieces: Piece | Arrow, alt: str = "") -> Drawing:
    """Draw pieces stacked from top to bottom, and arrows between them or their parts.

    Parameters
    ----------
    pieces:
        Pieces, from top to bottom, and arrows whose ends are among them, in any order.
    alt:
        What the drawing shows, for those who cannot see it.

    Returns
    -------
    drawing
        Shown by Jupyter if it is a cell's last value.

    Raises
    ------
    ValueError
        If ``alt`` is empty, there is no piece, or an arrow's end is not drawn.
    """
    arrows = [piece for piece in pieces if isinstance(piece, Arrow)]
    drawn = [piece for piece in pieces if not isinstance(piece, Arrow)]
    return Drawing(stack(*drawn, align="centre"), arrows, alt)


def _small(svg: str) -> str:
    """The SVG without what it does not need: clips, ids, comments, decimals beyond two."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"(?s)<metadata>.*?</metadata>|<clipPath.*?</clipPath>|<!--.*?-->", "", svg)
    svg = re.sub(r' clip-path="[^"]*"| id="(?:figure|axes|patch|text|line2d)_\d+"', "", svg)
    svg = re.sub(r"\s+", " ", svg).replace("> <", "><")
    places = r' d="[^"]*"|translate\([^)]*\)'
    return re.sub(places, lambda place: re.sub(r"(\.\d\d)\d+", r"\1", place[0]), svg)


def _figure(piece: Piece, arrows: list[Arrow]) -> Figure:
    width = piece.width + 2 * MARGIN
    height = piece.above + piece.below + 2 * MARGIN
    figure = Figure((width * UNIT / 72, height * UNIT / 72), facecolor=CARD)
    figure.set_layout_engine("none")
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    ax.set_axis_off()
    piece.place(MARGIN, MARGIN + piece.above)
    piece.draw(ax)
    for one in arrows:
        start, end = one.start.edge(one.sides[0]), one.end.edge(one.sides[1])
        start, end = _apart(start, one.sides[0]), _apart(end, one.sides[1])
        strong = colour(one.role)
        ax.add_patch(arrow_patch(start, end, colour=strong, curve=one.curve))
        if one.text:
            ax.text(
                *_middle(start, end, one.curve), one.text,
                size=LABEL, ha="center", va="center", color=strong,
                bbox={"facecolor": CARD, "edgecolor": "none", "pad": 1.5},
            )  # fmt: skip
    return figure


def _middle(
    start: tuple[float, float], end: tuple[float, float], curve: float
) -> tuple[float, float]:
    """The middle of an arrow, which a curve moves off the straight line."""
    (x, y), (u, v) = start, end
    return (x + u - curve * (v - y)) / 2, (y + v + curve * (u - x)) / 2


def _apart(end: tuple[float, float], side: str, space: float = 0.12) -> tuple[float, float]:
    """A point a little away from the body, so that an arrow's whole head is visible."""
    right = {"left": -space, "right": space}.get(side, 0.0)
    down = {"top": -space, "bottom": space}.get(side, 0.0)
    return end[0] + right, end[1] + down
