"""One style for every figure of the course: colour-blind safe, readable at small size."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import matplotlib.pyplot as plt
import torch
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from torch import Tensor

from coursebook.drawn import WORDS, show_content

#: Okabe and Ito's colours, which colour-blind readers can tell apart too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: The colour map for weights between 0 and 1: white is 0, the darkest blue is 1.
MAP = "Blues"

#: The colour map for numbers of both signs, with limits equally far from 0: yellow is below zero,
#: grey is zero, blue is above. Its lightness falls from end to end, so grey print shows the sign.
SIGNED_MAP = "cividis_r"


def style() -> None:
    """Set the course's style for all figures that follow."""
    plt.rcParams.update(
        {
            "figure.figsize": (6.4, 3.2),
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "axes.prop_cycle": plt.cycler(color=COLOURS),
            "axes.grid": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "grid.alpha": 0.25,
            "font.size": WORDS,
            "legend.frameon": False,
            "svg.hashsalt": "tfcourse",
        }
    )
    # The executor asks for each figure's content as well as its image.
    if os.environ.get("TFCOURSE_FIGURE_CONTENT"):
        show_content()


def attention_map(
    weights: Tensor,
    queries: Sequence[str],
    keys: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    title: str = "",
    numbers: bool = False,
) -> Axes:
    """Draw weights ``(T, S)``: one row per query, one column per key, dark = attended to.

    White is 0 and the darkest blue 1 in every map, and a bar beside the maps of a figure says so.

    Parameters
    ----------
    weights:
        ``(T, S)``, each row a distribution over the keys.
    queries, keys:
        Labels of rows and columns; by default the keys are the queries.
    ax:
        The axes to draw on; by default a new figure's.
    title:
        Text above the map.
    numbers:
        Whether to write each weight into its square; the figure then needs no bar.

    Returns
    -------
    ax
        The axes drawn on.

    Raises
    ------
    ValueError
        If the weights are not a matrix, or the labels do not fit it.
    """
    keys = queries if keys is None else keys
    if tuple(weights.shape) != (len(queries), len(keys)):
        raise ValueError(
            f"weights must be ({len(queries)}, {len(keys)}), a row for each query and a column for "
            f"each key, got {tuple(weights.shape)}"
        )
    if ax is None:
        side = 1.6 + 0.34 * max(len(queries), len(keys))
        _, ax = plt.subplots(figsize=(side, side * (len(queries) + 2) / (len(keys) + 2)))
    table = weights.detach().to("cpu", torch.float64).numpy()
    image = ax.imshow(table, cmap=MAP, vmin=0, vmax=1)
    ax.set_xticks(range(len(keys)), keys, rotation=45, ha="left", rotation_mode="anchor")
    ax.set_yticks(range(len(queries)), queries)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("query")
    ax.set_xlabel("key")
    ax.xaxis.set_label_position("top")
    if title:
        ax.set_title(title)
    if numbers:
        for i, row in enumerate(table):
            for j, weight in enumerate(row):
                ax.text(
                    j, i, f"{weight:.2f}", ha="center", va="center",
                    color="white" if weight > 0.6 else "black", fontsize=8,
                )  # fmt: skip
    maps = ax.figure.axes
    if not numbers and all(one.get_label() != "<colorbar>" for one in maps):
        ax.figure.colorbar(image, ax=maps, ticks=[0, 0.5, 1], label="weight", aspect=12, shrink=0.7)
    return ax


def plain_ticks(axis: Axis, values: Iterable[float]) -> None:
    """Put ticks on a logarithmic axis at these values only, written as plain numbers.

    Parameters
    ----------
    axis:
        ``ax.xaxis`` or ``ax.yaxis``.
    values:
        The positions of the ticks, in the axis's own units.
    """
    axis.set_major_locator(FixedLocator(list(values)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())
