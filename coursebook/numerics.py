"""Does a printed number survive rounding?

Processors add in different orders and so round differently in the last bit. Training amplifies
that bit: after a few hundred steps two machines print different losses. A lesson therefore
declares how far the numbers of a cell may move (its *band*), and outputs are compared within that
band. A notebook is stored only if it agrees with itself under several arithmetics, each of which
rounds as some other processor would.

A cell's band is in its metadata, ``{"tfcourse": {"band": 0.05}}``:

- a number such as ``0.05`` is absolute, ``"10%"`` is relative to the larger of the two numbers;
- ``{"text": 0.05, "figure": 0.2}`` gives figures their own band, as a fraction of the height and
  width of the axes. By default, what is drawn may move by :data:`FIGURE_BAND`.

Without a band every printed number must be the same. Within one, decimal numbers may move. An
integer is a count, a size or a seed and stays exact, unless the word before it is "about". Words
are always compared exactly: no band lets a verdict change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from coursebook.drawn import FIGURE_CONTENT

#: What each arithmetic changes in the executor's environment. The first one's outputs are stored.
#: The variables set, in this order, the instructions used by PyTorch's own kernels, oneDNN, MKL
#: (PyTorch's matrix products on x86), OpenBLAS (NumPy's), and NumPy's own loops.
ARITHMETICS: dict[str, dict[str, str]] = {
    "stored": {},
    "sse": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_CBWR": "COMPATIBLE",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    },
    "compatible": {"MKL_CBWR": "COMPATIBLE"},
    "avx512": {
        "ATEN_CPU_CAPABILITY": "avx512",
        "ONEDNN_MAX_CPU_ISA": "AVX512_CORE",
        "MKL_CBWR": "AVX512",
        "OPENBLAS_CORETYPE": "SkylakeX",
    },
    "two-threads": {
        "OMP_NUM_THREADS": "2",
        "MKL_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
        "OMP_WAIT_POLICY": "PASSIVE",  # a waiting thread leaves its core to other runs
    },
}

#: How far a drawn point may move by default, as a fraction of the axes: about the width of a line.
FIGURE_BAND = 0.01

#: The text before an integer that may move: "about 300", "about 10^12".
_ABOUT = re.compile(r"\babout $", re.IGNORECASE)

#: A number as lessons print it: a sign, thousands separated by commas, decimals, an exponent. For
#: a power of ten, the exponent is the number.
_NUMBER = re.compile(
    r"(?<![\w.])((?:10\^)?[-+−]?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?)"
)


def available() -> list[str]:
    """The arithmetics that this processor supports, the stored one first."""
    import torch

    wide = torch.cpu.get_capabilities().get("avx512_f", False)
    return [name for name in ARITHMETICS if name != "avx512" or wide]


@dataclass(frozen=True)
class Band:
    """How far a cell's numbers may move: ``text`` for printed numbers, ``figure`` for drawn."""

    text: float | str = 0.0
    figure: float = FIGURE_BAND

    @classmethod
    def of(cls, cell: NotebookNode) -> Band:
        """The band that the cell's metadata declares.

        Raises
        ------
        ValueError
            If the metadata holds anything but a positive number, a percentage such as ``"10%"``,
            or a table with ``text`` and ``figure``.
        """
        declared = cell.metadata.get("tfcourse", {}).get("band", 0.0)
        parts = declared if isinstance(declared, dict) else {"text": declared}
        try:
            band = cls(**parts)
            text = band.text
            if isinstance(text, str) and text.endswith("%"):
                text = float(text[:-1])
            if not all(
                isinstance(w, int | float) and not isinstance(w, bool) and w >= 0
                for w in (text, band.figure)
            ):
                raise ValueError("a width is not a number, or below 0")
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"cell {cell.get('id')}: band must be a number such as 0.05, a percentage such as "
                f'"10%", or {{"text": ..., "figure": ...}}, got {declared!r}'
            ) from error
        return band

    def allows(self, stored: float, now: float) -> bool:
        """Whether ``now`` may be printed in place of the stored number."""
        width = self.text
        if isinstance(width, str):
            width = float(width.removesuffix("%")) / 100 * max(abs(stored), abs(now))
        # Printed decimals are not exact in binary: 0.35 - 0.30 is a little more than 0.05.
        return abs(stored - now) <= width * (1 + 1e-9) + 1e-12


def printed_difference(stored: str, now: str, band: Band) -> str | None:
    """What differs between two printed texts, in one line; ``None`` if they agree within the band.

    The words must be equal. Numbers must be within the band, pair by pair. In a cell with a band,
    the width of the space between them is ignored, because a number may become wider.
    """
    if stored == now:
        return None
    words, new_words = _NUMBER.split(stored), _NUMBER.split(now)
    loose = band.text not in (0, 0.0)
    for place, (old, new) in enumerate(zip(words, new_words, strict=False)):
        if place % 2:
            exact = _is_integer(old) and _is_integer(new) and not _ABOUT.search(words[place - 1])
            if old != new and (exact or not band.allows(_value(old), _value(new))):
                return f"{old} became {new} in {_line(stored, words, place)!r}"
        elif (" ".join(old.split()) != " ".join(new.split())) if loose else old != new:
            return f"the words changed: {_line(stored, words, place)!r} became " + repr(
                _line(now, new_words, place)
            )
    if len(words) != len(new_words):
        return f"{stored[-60:]!r} became {now[-60:]!r}"
    return None


def _is_integer(number: str) -> bool:
    return number.removeprefix("10^").lstrip("-+−").replace(",", "").isdecimal()


def _value(number: str) -> float:
    return float(number.removeprefix("10^").replace(",", "").replace("−", "-"))


def _line(text: str, parts: list[str], place: int) -> str:
    """The line of ``text`` in which the part at ``place`` ends."""
    end = sum(map(len, parts[: place + 1]))
    start = text.rfind("\n", 0, max(end - 1, 0)) + 1
    stop = text.find("\n", end)
    return text[start : stop if stop >= 0 else None].strip()


def drawn_difference(stored: dict, now: dict, band: Band) -> str | None:
    """What differs between the contents of two figures; ``None`` if they agree within the band.

    Positions are compared as fractions of the stored axes, and words as in printed text.
    """
    if len(stored["axes"]) != len(now["axes"]):
        return f"{len(stored['axes'])} axes became {len(now['axes'])}"
    for number, (old, new) in enumerate(zip(stored["axes"], now["axes"], strict=True)):
        where = f"axes {number} ({old['title'] or old['ylabel'] or 'no title'})"
        for word, other in zip(_words(old), _words(new), strict=False):
            if difference := printed_difference(word, other, band):
                return f"{where}: {difference}"
        if len(_words(old)) != len(_words(new)):
            return f"{where}: {len(_words(old))} words became {len(_words(new))}"
        spans = {axis: max(abs(old[axis][1] - old[axis][0]), 1e-12) for axis in ("xlim", "ylim")}
        for name, axis, before, after in _positions(old, new):
            if len(before) != len(after):
                return f"{where}: {name} has {len(after)} points in place of {len(before)}"
            for a, b in zip(before, after, strict=True):
                if (a is None) != (b is None):
                    return f"{where}: {name} has a gap in one of the two"
                if a is not None and abs(a - b) > band.figure * spans.get(axis, 1.0) + 1e-9:
                    return f"{where}: {name} moved from {a:g} to {b:g}"
        if old["counts"] != new["counts"]:
            return f"{where}: {old['counts']} became {new['counts']}"
    return None


def _words(axes: dict) -> list[str]:
    return [axes["title"], axes["xlabel"], axes["ylabel"], *axes["legend"], *axes["texts"]]


def _positions(old: dict, new: dict) -> Iterator[tuple[str, str, list, list]]:
    """Each drawn item's name, the axis it is measured on, and its points before and after."""
    for axis in ("xlim", "ylim"):
        yield f"the range of {axis[0]}", axis, old[axis], new[axis]
    for kind, axis in (("line", "ylim"), ("bars", "ylim"), ("image", "colours"), ("dots", "ylim")):
        for number, (before, after) in enumerate(
            zip(old.get(kind, []), new.get(kind, []), strict=False)
        ):
            yield f"{kind} {number}", axis, before, after


def differences(stored: NotebookNode, now: NotebookNode) -> list[str]:
    """Where two runs of a notebook disagree beyond the bands: a line per cell, with the values."""
    found = []
    for cell, other in zip(stored.cells, now.cells, strict=True):
        if cell.cell_type != "code" or "nbval-ignore-output" in cell.metadata.get("tags", []):
            continue
        if difference := _cell_difference(cell.outputs, other.outputs, Band.of(cell)):
            found.append(f"cell {cell.id}: {difference}")
    return found


def _cell_difference(stored: list, now: list, band: Band) -> str | None:
    if [o.output_type for o in stored] != [o.output_type for o in now]:
        return "its outputs are of different kinds"
    for old, new in zip(stored, now, strict=True):
        texts = [(old.get("text"), new.get("text"))]
        kinds = [k for k in old.get("data", {}) if not k.startswith("image/")]
        texts += [(old.data[kind], new.get("data", {}).get(kind)) for kind in kinds]
        for before, after in texts:
            if difference := text_difference(before, after, band):
                return difference
        if difference := figure_difference(old, new, band):
            return difference
    return None


def text_difference(stored: object, now: object, band: Band) -> str | None:
    """:func:`printed_difference` of two texts; anything else must be equal."""
    if isinstance(stored, str) and isinstance(now, str):
        return printed_difference(stored, now, band)
    return None if stored == now else f"{stored!r} became {now!r}"


def figure_difference(stored: dict, now: dict, band: Band) -> str | None:
    """:func:`drawn_difference` of two outputs, if they hold figures; ``None`` if neither does."""
    old, new = (output.get("metadata", {}).get(FIGURE_CONTENT) for output in (stored, now))
    if old is None and new is None:
        return None
    if old is None or new is None:
        return "only one of the two is a figure whose content is known"
    return drawn_difference(old, new, band)
