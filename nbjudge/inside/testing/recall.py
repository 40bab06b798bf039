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

#: How near two values must be, relative to the largest number in them, to differ by rounding alone.
SAME = 1e-6

#: Results with more numbers than this are not stored.
MOST_NUMBERS = 4096

#: Matches the files with tables in a folder; see :mod:`nbjudge.intake.release`.
FILES = "*.told"


@dataclass(frozen=True)
class Result:
    """What came back at one check.

    The parts' names, what was expected, what was found, and whether the check takes it for right.
    """

    names: tuple[str, ...]
    expected: tuple
    found: tuple
    right: bool = False


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


def recorded(names: Sequence[str], expected: tuple, found: tuple, right: bool) -> bool:
    """Record this result if results are being recorded; returns whether they are."""
    if _recording is None:
        return False
    _recording.append(Result(tuple(names), expected, found, right))
    return True


#: Message, result, and whether it is right.
Known = tuple[str, tuple, bool]


class Table:
    """What known wrong answers return at the checks of a test."""

    def __init__(self, only_wrong: bool = False) -> None:
        #: Whether right results are left out.
        self.only_wrong = only_wrong
        #: A check's names → for each expected value what each wrong answer returned.
        self._checks: dict[tuple[str, ...], list[tuple[tuple, list[Known]]]] = {}

    def __bool__(self) -> bool:
        return bool(self._checks)

    def add(self, says: str, results: Iterable[Result]) -> None:
        """Add what the wrong answer returned that this message is for."""
        for result in results:
            checks = self._checks.setdefault(result.names, [])
            known = (says, result.found, result.right)
            for expected, there in checks:
                if alike(expected, result.expected):
                    there.append(known)
                    break
            else:
                checks.append((result.expected, [known]))

    def update(self, other: Table) -> None:
        """Add all that another table holds."""
        for names, checks in other._checks.items():
            for expected, known in checks:
                for says, found, right in known:
                    self.add(says, [Result(names, expected, found, right)])

    def recall(self, names: Sequence[str], expected: tuple, found: tuple) -> dict[str, tuple]:
        """Message → what that wrong answer returned at the check with these names and values.

        Of several with one message, the one nearest to ``found`` counts.
        """
        nearest: dict[str, tuple[float, tuple]] = {}
        for says, wrong, _ in self._at(names, expected):
            off = _off(wrong, found)
            if says not in nearest or off < nearest[says][0]:
                nearest[says] = off, wrong
        return {says: wrong for says, (_, wrong) in nearest.items()}

    def failing(self, names: Sequence[str], expected: tuple) -> set[str]:
        """The messages of the wrong answers that do not pass this check."""
        known = self._at(names, expected)
        return {says for says, _, right in known if not right} - {
            says for says, _, right in known if right
        }

    def messages(self) -> set[str]:
        """The messages of all wrong answers in it."""
        every = (known for checks in self._checks.values() for _, known in checks)
        return {says for known in every for says, _, _ in known}

    def _at(self, names: Sequence[str], expected: tuple) -> list[Known]:
        checks = self._checks.get(tuple(names), ())
        return [known for due, there in checks if alike(due, expected) for known in there]

    def without_right(self) -> Table:
        """A copy that holds only wrong results of moderate size, for a file."""
        small = Table(only_wrong=True)
        for names, checks in self._checks.items():
            for expected, known in checks:
                wrong = [one for one in known if not one[2] and _numbers(one[1]) <= MOST_NUMBERS]
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
            (says, right) == (said, passes) and alike(found, got)
            for (says, found, right), (said, got, passes) in zip(known, others, strict=True)
        )
        for (expected, known), (due, others) in zip(mine, theirs, strict=True)
    )


def alike(one: Any, other: Any) -> bool:
    """Whether two values are the same but for rounding; NaN is like NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor):
        if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device:
            return False
        if not (one.is_floating_point() or one.is_complex()):
            return torch.equal(one, other)
        largest = one.abs().nan_to_num(posinf=0).max().item() if one.numel() else 0.0
        near = SAME if one.dtype == torch.float64 else 10 * SAME
        return torch.allclose(one, other, near, near * largest, equal_nan=True)
    if isinstance(one, Array):
        return one.shape == other.shape and bool(np.array_equal(one, other))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=SAME)
    return bool(one == other)


def _off(one: Any, other: Any) -> float:
    """How far two values are apart: infinitely if they are of different form."""
    if type(one) is not type(other):
        return math.inf
    if isinstance(one, tuple):
        if len(one) != len(other):
            return math.inf
        return max(map(_off, one, other), default=0.0)
    if isinstance(one, Tensor):
        if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device:
            return math.inf
        apart = (one.double() - other.double()).abs()
        apart[(one == other) | (one.isnan() & other.isnan())] = 0
        return apart.nan_to_num(nan=math.inf).max().item() if apart.numel() else 0.0
    return 0.0 if alike(one, other) else math.inf


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
            tables[test] = Table(only_wrong=True)
            for names, every in checks:
                tables[test]._checks[names] = [
                    (expected, [(says, found, right) for says, found, right in known])
                    for expected, known in every
                ]
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

#: The checks that it has passed: names, and expected values.
passed: list[tuple[Sequence[str], tuple]] = []


def runs(test: str) -> None:
    """Say which test cell this notebook runs from here on."""
    global _running
    _running = test
    passed.clear()


def of_running() -> list[Table]:
    """What a release has stored for the test that this notebook runs."""
    return of_test(_running)


def of_test(test: str) -> list[Table]:
    """What a release has stored for a test."""
    return stored(stored_folder()).get(test, []) if test else []


#: The names and expected values of checks.
Checks = Sequence[tuple[Sequence[str], tuple]]

#: Given the checks that were passed, and the messages of the wrong answers to look for (if there are
#: none, all): what these return in the test that runs.
Find = Callable[[Checks, Sequence[str]], Sequence[Table]]


def find_stored(passed: Checks, suspects: Sequence[str]) -> Sequence[Table]:
    """A :data:`Find` of what a release has stored."""
    return of_running()


def known(
    find: Find,
    passed: Checks,
    suspects: Sequence[str],
    names: Sequence[str],
    expected: tuple,
    found: tuple,
) -> dict[str, tuple]:
    """Message → what that wrong answer returned at a check, if it passes those that were passed.

    Parameters
    ----------
    find, passed, suspects:
        Where to look; with which arguments.
    names, expected, found:
        As for :meth:`Table.recall`.
    """
    recalled: dict[str, tuple] = {}
    for table in find(passed, suspects):
        here = table.recall(names, expected, found)
        for check in passed if here else ():
            for says in table.failing(*check):
                here.pop(says, None)
        if table.only_wrong:
            right = table.messages().intersection(suspects)
            here = dict.fromkeys(right, expected) | here
        recalled |= here
    return recalled
