"""Recognise a known wrong answer by its results.

While a wrong answer of the course runs a test, the checks record what it returns
(:func:`recording`). A :class:`Table` holds such results. When a learner's result is wrong, the
check looks for wrong answers that returned the same. While results are right, nothing is looked up.
"""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nbjudge.inside import wire
from nbjudge.inside.program import folder_of, program
from nbjudge.inside.values import Array, Tensor, np, torch

#: Given a check's names and expected values: message → what that wrong answer returned there.
Recall = Callable[[Sequence[str], tuple, tuple], Mapping[str, tuple]]

#: How near two expected values must be to count as the same check's.
SAME = 1e-6

#: Results with more numbers than this are not stored.
MOST_NUMBERS = 4096

#: Matches the files with tables in a folder; see :mod:`nbjudge.intake.release`.
FILES = "*.told"


@dataclass(frozen=True)
class Result:
    """What came back at one check: the parts' names, what was expected, and what was found."""

    names: tuple[str, ...]
    expected: tuple
    found: tuple


_recording: list[Result] | None = None


@contextmanager
def recording() -> Iterator[list[Result]]:
    """Let the checks record results instead of judging them; gives the list that they fill."""
    global _recording
    before, _recording = _recording, []
    try:
        yield _recording
    finally:
        _recording = before


def recorded(names: Sequence[str], expected: tuple, found: tuple) -> bool:
    """Record this result if results are being recorded; returns whether they are."""
    if _recording is None:
        return False
    _recording.append(Result(tuple(names), expected, found))
    return True


class Table:
    """What known wrong answers return at the checks of some tests."""

    def __init__(self) -> None:
        #: A check's names → for each expected value, message and result of each wrong answer.
        self._checks: dict[tuple[str, ...], list[tuple[tuple, list[tuple[str, tuple]]]]] = {}

    def __bool__(self) -> bool:
        return bool(self._checks)

    def add(self, says: str, results: Iterable[Result]) -> None:
        """Add what the wrong answer returned that this message is for."""
        for result in results:
            checks = self._checks.setdefault(result.names, [])
            for expected, known in checks:
                if alike(expected, result.expected):
                    known.append((says, result.found))
                    break
            else:
                checks.append((result.expected, [(says, result.found)]))

    def recall(self, names: Sequence[str], expected: tuple, found: tuple) -> dict[str, tuple]:
        """Message → what that wrong answer returned at the check with these names and values.

        Of several with one message, the one that returned ``found`` counts.
        """
        recalled: dict[str, tuple] = {}
        for due, known in self._checks.get(tuple(names), ()):
            if alike(due, expected):
                for says, wrong in known:
                    if says not in recalled or alike(wrong, found):
                        recalled[says] = wrong
        return recalled

    def without_right(self) -> Table:
        """A copy that holds only wrong results of moderate size, for a file."""
        small = Table()
        for names, checks in self._checks.items():
            for expected, known in checks:
                wrong = [
                    (says, found)
                    for says, found in known
                    if not alike(found, expected, like=True) and _numbers(found) <= MOST_NUMBERS
                ]
                if wrong and _numbers(expected) <= MOST_NUMBERS:
                    small._checks.setdefault(names, []).append((expected, wrong))
        return small

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same messages, and results that differ by no more than rounding."""
        if not isinstance(other, Table) or self._checks.keys() != other._checks.keys():
            return False
        return all(_same_checks(mine, other._checks[names]) for names, mine in self._checks.items())

    __hash__ = None  # type: ignore[assignment]


def _same_checks(mine: list, theirs: list) -> bool:
    return len(mine) == len(theirs) and all(
        alike(expected, due)
        and len(known) == len(others)
        and all(
            says == said and alike(found, got)
            for (says, found), (said, got) in zip(known, others, strict=True)
        )
        for (expected, known), (due, others) in zip(mine, theirs, strict=True)
    )


def alike(one: Any, other: Any, *, like: bool = False) -> bool:
    """Whether two values are the same but for rounding; NaN is like NaN.

    A tensor equals another of its shape and dtype; with ``like``, numbers in lists too.
    """
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            alike(a, b, like=like) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, Tensor) and isinstance(other, list | int | float) and like:
        try:
            other = torch.tensor(other, dtype=one.dtype)
        except (TypeError, ValueError):
            return False
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        if not (one.is_floating_point() or one.is_complex()):
            return bool((one == other).all())
        near = SAME if one.dtype != torch.float32 else 1e-5
        return torch.allclose(one, other, near, near, equal_nan=True)
    if type(one) is not type(other):
        return False
    if isinstance(one, Array):
        return one.shape == other.shape and bool(np.array_equal(one, other))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)
    return bool(one == other)


def _numbers(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, list | tuple):
        return sum(map(_numbers, value))
    return 1


def pack(tables: Mapping[str, Table]) -> bytes:
    """The tables of some tests, by grade id, as bytes."""
    plain = {
        test: [(names, checks) for names, checks in table._checks.items()]
        for test, table in tables.items()
    }
    return gzip.compress(wire.dumps(plain), mtime=0)


def unpack(packed: bytes) -> dict[str, Table]:
    """The inverse of :func:`pack`.

    Raises
    ------
    WireError
        If the bytes are not its result.
    """
    tables: dict[str, Table] = {}
    try:
        for test, checks in wire.undumps(gzip.decompress(packed)).items():
            tables[test] = Table()
            tables[test]._checks.update(checks)
    except (OSError, EOFError, zlib.error, AttributeError, TypeError, ValueError) as error:
        raise wire.WireError(f"not a table of results: {error}") from None
    return tables


def stored_folder() -> Path:
    """Where a release stores tables: the installed course's own folder, or beside the notebook."""
    package, _, rest = program().told.partition("/")
    return Path(folder_of(package) or "", rest) if package else Path.cwd()


@cache
def stored(folder: Path) -> dict[str, list[Table]]:
    """The tables in a folder, by their tests' grade ids, which two problem sets may share.

    Files that cannot be read are left out.
    """
    found: dict[str, list[Table]] = {}
    for path in sorted(folder.glob(FILES)):
        with suppress(
            wire.WireError
        ):  # of another version: tests then say what is wrong in numbers
            for test, table in unpack(path.read_bytes()).items():
                found.setdefault(test, []).append(table)
    return found


#: The test cell that this notebook runs; empty if unknown.
_running = ""


def runs(test: str) -> None:
    """Say which test cell this notebook runs from here on."""
    global _running
    _running = test


def from_stored(names: Sequence[str], expected: tuple, found: tuple) -> Mapping[str, tuple]:
    """:meth:`Table.recall` of what a release has stored for the test that this notebook runs."""
    return stored_for(_running)(names, expected, found)


def stored_for(test: str) -> Recall:
    """:meth:`Table.recall` of what a release has stored for a test."""

    def recall(names: Sequence[str], expected: tuple, found: tuple) -> dict[str, tuple]:
        known: dict[str, tuple] = {}
        for table in stored(stored_folder()).get(test, ()) if test else ():
            known |= table.recall(names, expected, found)
        return known

    return recall
