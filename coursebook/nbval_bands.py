"""nbval, comparing numbers within the band that a cell declares.

Usage: ``pytest --nbval -p coursebook.nbval_bands``. An output that agrees with the stored one
within its cell's band is replaced by the stored one before nbval compares. nbval judges and
reports everything else.
"""

from __future__ import annotations

import copy
import functools
import tempfile
from collections.abc import Callable, Iterator

import nbval.kernel
import pytest
from jupyter_client import KernelManager
from nbval.plugin import IPyNbCell

from coursebook.drawn import FIGURE_CONTENT
from coursebook.executor import address
from coursebook.numerics import Band, figure_difference, text_difference


def within_band(compare: Callable[..., bool]) -> Callable[..., bool]:
    """Wrap nbval's comparison of a cell's outputs so that it allows the cell's band."""

    @functools.wraps(compare)
    def compared(cell: IPyNbCell, test: list, ref: list, skip_compare: tuple | None = None) -> bool:
        band = Band.of(cell.cell)
        test, said, drawn = copy.deepcopy(test), [], []
        for now, stored in zip(test, ref, strict=False):
            for value, old, put in _pairs(now, stored):
                difference = text_difference(old, value, band)
                if difference is None:
                    put(old)
                else:
                    said.append(difference)
            drawn.append(figure_difference(stored, now, band))
        agrees = compare(cell, test, ref, skip_compare)
        said += [f"mismatch of a figure: {difference}" for difference in drawn if difference]
        cell.comparison_traceback += [f"\n  {band}: {line}" for line in said]
        return agrees and not any(drawn)

    return compared


def _pairs(now: dict, stored: dict) -> Iterator[tuple[object, object, Callable[[object], None]]]:
    """Each text of an output, the stored text, and a function that puts that in its place.

    Images whose content is known are left to :func:`figure_difference`; their bytes are not
    compared, not even an SVG's.
    """
    if "text" in now and "text" in stored:
        yield now["text"], stored["text"], functools.partial(now.__setitem__, "text")
    data, old = now.get("data", {}), stored.get("data", {})
    known = FIGURE_CONTENT in stored.get("metadata", {})
    for kind in sorted(set(data) & set(old)):
        if kind.startswith("image/"):
            if known:
                data[kind] = old[kind]
        else:
            yield data[kind], old[kind], functools.partial(data.__setitem__, kind)


def pytest_configure(config: pytest.Config) -> None:
    """Make nbval compare within the bands, and its kernels listen where no port can be taken."""
    IPyNbCell.compare_outputs = within_band(IPyNbCell.compare_outputs)
    sockets = tempfile.TemporaryDirectory()
    config.add_cleanup(sockets.cleanup)
    nbval.kernel.KernelManager = functools.partial(KernelManager, **address(sockets.name))
