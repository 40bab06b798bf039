"""What a figure shows, as numbers and words: two figures are compared by this, not by their bytes.

A picture's bytes change with a font or with one pixel of anti-aliasing. Its content is what a
reader takes from it: titles and labels, and where lines, bars, dots and coloured cells are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from numpy.typing import ArrayLike

#: The name under which a picture's metadata in a notebook holds the figure's content. Metadata, and
#: no output of its own: Jupyter and the site show what they know, and leave this alone.
FIGURE_CONTENT = "application/vnd.tfcourse.figure+json"

#: The size of a plot's words in points, unless its cell names another.
WORDS = 10

#: How many points of a line, a row of bars or a cloud of dots are kept.
POINTS = 13


def content(figure: Figure) -> dict:
    """What the figure shows: a table for each of its axes, small enough to store.

    Returns
    -------
    dict
        ``{"axes": [...]}``; each of them holds its words (``title``, ``xlabel``, ``ylabel``,
        ``legend``, ``texts``), its ranges (``xlim``, ``ylim``), evenly spaced samples of what is
        drawn (``line``, ``bars``, ``dots``, ``image``) and how many there are of each
        (``counts``).
    """
    return {"axes": [_axes(axes) for axes in figure.axes]}


def _axes(axes: Axes) -> dict:
    legend = axes.get_legend()
    lines = [np.asarray(line.get_ydata(orig=False), float) for line in axes.get_lines()]
    boxes = [patch for patch in axes.patches if isinstance(patch, Rectangle | FancyBboxPatch)]
    bars = np.array([box.get_y() + box.get_height() for box in boxes])
    dots = [np.ma.getdata(c.get_offsets())[:, 1] for c in axes.collections if _has_dots(c)]
    shown = [array for i in axes.images if (array := i.get_array()) is not None]
    images = [image_content(np.ma.filled(image, np.nan)) for image in shown]
    scales = {"xlim": axes.get_xscale(), "ylim": axes.get_yscale()}
    found: dict[str, Any] = {
        "title": axes.get_title(),
        "xlabel": axes.get_xlabel(),
        "ylabel": axes.get_ylabel(),
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
        "texts": [text.get_text() for text in axes.texts],
        "xlim": _rounded(_scaled(axes.get_xlim(), scales["xlim"])),
        "ylim": _rounded(_scaled(axes.get_ylim(), scales["ylim"])),
        "line": [_rounded(_scaled(_sample(line), scales["ylim"])) for line in lines],
        "bars": [_rounded(_scaled(_sample(bars), scales["ylim"]))] if len(bars) else [],
        "dots": [_rounded(_scaled(_sample(cloud), scales["ylim"])) for cloud in dots],
        "image": images,
    }
    found["counts"] = {
        "line": [len(line) for line in lines],
        "bars": len(bars),
        "dots": [len(cloud) for cloud in dots],
        "image": [list(np.shape(array)) for array in shown],
    }
    return found


def _has_dots(collection: object) -> bool:
    return hasattr(collection, "get_offsets") and len(collection.get_offsets()) > 0


def _sample(values: np.ndarray) -> np.ndarray:
    """At most :data:`POINTS` of the values, evenly spaced, the first and the last among them."""
    if len(values) <= POINTS:
        return values
    return values[np.linspace(0, len(values) - 1, POINTS).round().astype(int)]


def _scaled(values: ArrayLike, scale: str) -> np.ndarray:
    """Positions on the page: a logarithmic axis shows logarithms."""
    places = np.asarray(values, float)
    if scale != "log":
        return places
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(places)


def image_content(image: np.ndarray) -> list[float | None]:
    """An image as at most 4 by 4 averages, in units of its own range of values."""
    image = np.asarray(image, float)
    image = image.mean(-1) if image.ndim == 3 else image
    span = np.nanmax(image) - np.nanmin(image) or 1.0
    parts = [
        part[np.isfinite(part)] / span
        for rows in np.array_split(image, min(4, len(image)), axis=0)
        for part in np.array_split(rows, min(4, image.shape[1]), axis=1)
    ]
    return _rounded([part.mean() if len(part) else np.nan for part in parts])


def _rounded(values: ArrayLike) -> list[float | None]:
    """Four digits are more than a reader sees, and the same on every processor far more often."""
    return [float(f"{v:.4g}") if math.isfinite(v) else None for v in np.ravel(values)]


def show_content() -> None:
    """In IPython, store every figure's content beside its picture from now on."""
    from IPython import get_ipython
    from IPython.core.formatters import BaseFormatter
    from traitlets import Unicode

    class FigureContent(BaseFormatter):
        format_type = Unicode(FIGURE_CONTENT)

        def __call__(self, obj: object) -> tuple[None, dict] | None:
            # Not `for_type`: the inline backend takes away what is registered for figures.
            return (None, content(obj)) if isinstance(obj, Figure) else None

    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters[FIGURE_CONTENT] = FigureContent(parent=shell)
