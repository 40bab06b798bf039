"""nbval, comparing numbers within the band that a cell declares.

``pytest --nbval -p tfcourse.authoring.nbval_bands``. An output that agrees with the stored one
within its cell's band is handed to nbval's own comparison as the stored one; everything else is
nbval's to judge and to report.
"""

from __future__ import annotations

import copy

import nbval.plugin

from tfcourse.authoring.numerics import Band, difference_between

_Cell = nbval.plugin.IPyNbCell


class BandedCell(_Cell):
    """One code cell of a notebook, compared within its band."""

    def compare_outputs(self, test: list, ref: list, skip_compare: tuple | None = None) -> bool:
        """Whether the outputs agree; if not, ``comparison_traceback`` says how they differ."""
        band = Band.of(self.cell)
        test, said = copy.deepcopy(test), []
        for now, stored in zip(test, ref, strict=False):
            for value, (old, put) in _pairs(now, stored):
                difference = difference_between(old, value, band)
                if difference is None:
                    put(old)
                else:
                    said.append(difference)
        agrees = super().compare_outputs(test, ref, skip_compare)
        if not agrees and said:
            self.comparison_traceback += [f"\n  band {band}: {line}" for line in said]
        return agrees


def _pairs(now: dict, stored: dict):
    """Each text or content of an output with the stored one and how to put that in its place."""
    if "text" in now and "text" in stored:
        yield now["text"], (stored["text"], lambda value: now.__setitem__("text", value))
    data, old = now.get("data", {}), stored.get("data", {})
    for kind in sorted(set(data) & set(old)):
        if not kind.startswith("image/"):
            yield data[kind], (old[kind], lambda value, kind=kind: data.__setitem__(kind, value))


def pytest_configure() -> None:
    """Have nbval make its cells of ours."""
    nbval.plugin.IPyNbCell = BandedCell
