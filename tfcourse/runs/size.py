"""Two sizes of each page: laptop, whose outputs are stored, and full, for a GPU.

All cells are the same for both. A number that differs is given by :func:`sized`::

    from tfcourse.runs.size import sized

    steps = sized(laptop=300, full=20_000)

``TFCOURSE_SIZE=full`` in the environment chooses the full size. ``make gpu`` runs every notebook
that imports this module that way, and keeps the output, which the site shows below the stored one.
"""

from __future__ import annotations

import os
from typing import TypeVar

#: The values of ``TFCOURSE_SIZE``; the first is the default.
SIZES = ("laptop", "full")

T = TypeVar("T")


def size() -> str:
    """The one of :data:`SIZES` at which the page is run."""
    chosen = os.environ.get("TFCOURSE_SIZE", SIZES[0])
    if chosen not in SIZES:
        raise ValueError(f"TFCOURSE_SIZE must be one of {list(SIZES)}, got {chosen!r}")
    return chosen


def sized(*, laptop: T, full: T) -> T:
    """The value for the current size: a number of steps, a width, a list of lengths."""
    return {"laptop": laptop, "full": full}[size()]
