"""A page's two sizes: the laptop's, whose outputs are stored, and the full one, for a GPU.

Every cell is the same for both. A number that differs is asked for by :func:`sized`::

    from tfcourse.runs.size import sized

    steps = sized(laptop=300, full=20_000)

``TFCOURSE_SIZE=full`` in the environment chooses the full size. ``make gpu`` runs every notebook
that imports this module so, and keeps what it printed: the site shows it below what is stored.
"""

from __future__ import annotations

import os
from typing import TypeVar

#: What ``TFCOURSE_SIZE`` may be; the first unless it is set.
SIZES = ("laptop", "full")

T = TypeVar("T")


def size() -> str:
    """Which of :data:`SIZES` the page is run at."""
    chosen = os.environ.get("TFCOURSE_SIZE", SIZES[0])
    if chosen not in SIZES:
        raise ValueError(f"TFCOURSE_SIZE must be one of {list(SIZES)}, got {chosen!r}")
    return chosen


def sized(*, laptop: T, full: T) -> T:
    """The value for the size at hand: a number of steps, a width, a list of lengths."""
    return {"laptop": laptop, "full": full}[size()]
