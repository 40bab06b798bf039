"""A figure's content as numbers and text: two figures are compared by this, not by their bytes.

An image's bytes change with a font or one pixel of anti-aliasing. Its content is what a reader
takes from it: titles and labels, and where lines, bars, dots and coloured cells are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle
from numpy.typing import ArrayLike

#: The key in an image's metadata, in a notebook, that holds the figure's content. It is metadata,
#: not an output of its own, because Jupyter and the site ignore metadata that they do not know.
FIGURE_CONTENT = "application/vnd.tfcourse.figure+json"

#: Font size of a plot's text in points, unless its cell sets another.
WORDS = 10

#: Number of points kept of a line, a row of bars or a cloud of dots.
POINTS = 13


def content(figure: Figure) -> dict:
    """What the figure shows: a table for each of its axes, small enough to store.

    Returns
    -------
    dict
        ``{"axes": [...]}``; each entry holds its text (``title``, ``xlabel``, ``ylabel``,
        ``legend``, ``texts``), its ranges (``xlim``, ``ylim``), evenly spaced samples of what is
        drawn (``line``, ``bars``, ``dots``, ``image``) and the number of each (``counts``).
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
    """At most :data:`POINTS` of the values, evenly spaced, including the first and the last."""
    if len(values) <= POINTS:
        return values
    return values[np.linspace(0, len(values) - 1, POINTS).round().astype(int)]


def _scaled(values: ArrayLike, scale: str) -> np.ndarray:
    """Positions on the page: logarithms if the axis is logarithmic."""
    places = np.asarray(values, float)
    if scale != "log":
        return places
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(places)


def image_content(image: np.ndarray) -> list[float | None]:
    """An image as at most 4 by 4 averages, in units of its own value range."""
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
    """Rounded to four digits, more than a reader sees and mostly the same on every processor."""
    return [float(f"{v:.4g}") if math.isfinite(v) else None for v in np.ravel(values)]


def show_content() -> None:
    """In IPython, store every figure's content with its image from now on."""
    from IPython import get_ipython
    from IPython.core.formatters import BaseFormatter
    from traitlets import Unicode

    class FigureContent(BaseFormatter):
        format_type = Unicode(FIGURE_CONTENT)

        def __call__(self, obj: object) -> tuple[None, dict] | None:
            # Not `for_type`: the inline backend removes whatever is registered for figures.
            return (None, content(obj)) if isinstance(obj, Figure) else None

    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters[FIGURE_CONTENT] = FigureContent(parent=shell)
