"""Recognise a known wrong answer by its results.

While a wrong answer of the course runs a test, the checks record what it returns
(:func:`recording`). A :class:`Table` holds such results. When a learner's result is wrong, the
check looks for wrong answers that returned the same. While results are right, nothing is looked up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import field

from nbjudge.inside import codecs, wire
from nbjudge.inside.causes import Ending, Guess, WrongAnswer, agreed, exercise_of
from nbjudge.inside.messages import Message, Tagged, from_json, to_json
from nbjudge.inside.program import folder_of, program
from nbjudge.inside.testing.readable import from_plain, to_plain
from nbjudge.inside.values import Array, Tensor, torch

#: How near two values must be, relative to the largest number in them, to differ by rounding alone.
SAME = 1e-6

#: Numbers nearer than this differ by rounding alone.
TINY = 1e-12

#: Results with more numbers or characters than this are not stored.
MOST_NUMBERS = 4096

#: Matches the files with tables in a folder; see :mod:`nbjudge.intake.release`.
FILES = "*.jsonl"


class Check(NamedTuple):
    """A check of a test cell: the names of what it compares, and its number among these."""

    names: tuple[str, ...]
    number: int


#: Stands for the end of a test's run; a result there is right if nothing stopped the run.
END = Check((), 1)


@dataclass(frozen=True)
class CheckResult:
    """What came back at one check, and whether the check takes it for right.

    ``found`` is ``None`` if that is not kept.
    """

    check: Check
    expected: tuple
    actual: tuple | None
    right: bool = False


class Counted:
    """Numbers the checks of a running test cell."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, ...]] = Counter()

    def next(self, names: Sequence[str]) -> Check:
        """The check with these names that runs now."""
        key = tuple(names)
        self._seen[key] += 1
        return Check(key, self._seen[key])


class Recording(Counted):
    """What comes back at the checks of a running test cell."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[CheckResult] = []


_recording: Recording | None = None


@contextmanager
def recording() -> Iterator[list[CheckResult]]:
    """Let the checks record results instead of judging them; gives the list that they fill."""
    global _recording
    before, _recording = _recording, Recording()
    try:
        yield _recording.results
    finally:
        _recording = before


def recorded(names: Sequence[str], expected: tuple, actual: tuple, right: bool) -> bool:
    """Record this result if results are being recorded; returns whether they are."""
    if _recording is None:
        return False
    check = _recording.next(names)
    _recording.results.append(CheckResult(check, _kept(expected), _kept(actual), right))
    return True


def _kept(parts: tuple) -> tuple:
    """The parts as they are now: a test may change its own tensors afterwards."""
    return tuple(x.detach().clone() if isinstance(x, Tensor) else x for x in parts)


class Table:
    """What known wrong answers return at the checks of a test."""

    def __init__(self) -> None:
        self._checks: dict[Check, dict[WrongAnswer, CheckResult]] = {}

    def __bool__(self) -> bool:
        return bool(self._checks)

    def add(self, answer: WrongAnswer, results: Iterable[CheckResult]) -> None:
        """Add what a wrong answer returned."""
        for result in results:
            self._checks.setdefault(result.check, {})[answer] = result

    def update(self, other: Table) -> None:
        """Add all that another table holds."""
        for check, known in other._checks.items():
            self._checks.setdefault(check, {}).update(known)

    def recall(self, check: Check, expected: tuple) -> dict[WrongAnswer, tuple]:
        """What each wrong answer returned at this check, if these values were expected there."""
        recalled: dict[WrongAnswer, tuple] = {}
        for answer, result in self._checks.get(check, {}).items():
            if result.right and result.actual is None:
                recalled[answer] = expected
            elif result.actual is not None and alike(result.expected, expected):
                recalled[answer] = result.actual
        return recalled

    def failing(self, checks: Iterable[Check]) -> set[WrongAnswer]:
        """The wrong answers that do not pass these checks, of which some may not be in it."""
        here = [known for check in checks if (known := self._checks.get(check)) is not None]
        every = {answer for known in self._checks.values() for answer in known}
        return {a for a in every for known in here if a not in known or not known[a].right}

    def ended_before(self, check: Check) -> set[WrongAnswer]:
        """The wrong answers whose runs ended without coming to a check."""
        return self._checks.get(END, {}).keys() - self._checks.get(check, {}).keys()

    def losing(self) -> set[WrongAnswer]:
        """The wrong answers that fail the test."""
        return {a for known in self._checks.values() for a, r in known.items() if not r.right}

    def only(self, answers: Collection[WrongAnswer]) -> Table:
        """What it holds of these answers."""
        part = Table()
        for known in self._checks.values():
            for answer in known.keys() & answers:
                part.add(answer, [known[answer]])
        return part

    def for_file(self) -> Table:
        """A copy without the values of right results, and of those that a file cannot hold."""
        small = Table()
        for check, known in self._checks.items():
            for answer, result in known.items():
                keeps = not result.right and _fits_a_file((result.expected, result.actual))
                expected, actual = (result.expected, result.actual) if keeps else ((), None)
                small.add(answer, [CheckResult(check, expected, actual, result.right)])
        return small

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same messages, and results that differ by no more than rounding."""
        if not isinstance(other, Table) or self._checks.keys() != other._checks.keys():
            return False
        return all(_same(known, other._checks[check]) for check, known in self._checks.items())

    __hash__ = None  # type: ignore[assignment]


def _same(
    mine: Mapping[WrongAnswer, CheckResult], theirs: Mapping[WrongAnswer, CheckResult]
) -> bool:
    return mine.keys() == theirs.keys() and all(
        result.right == theirs[answer].right
        and alike(result.expected, theirs[answer].expected)
        and _same_values(result.actual, theirs[answer].actual)
        for answer, result in mine.items()
    )


def _same_values(mine: tuple | None, theirs: tuple | None) -> bool:
    """Whether two results differ by no more than one processor's from another's.

    What comes beside a part of infinite numbers alone, such as the place of the largest, differs.
    """
    if mine and theirs and any(map(_is_infinite, mine)) and any(map(_is_infinite, theirs)):
        return [_shape(part) for part in mine] == [_shape(part) for part in theirs]
    return alike(mine, theirs)


def _is_infinite(part: Any) -> bool:
    return isinstance(part, Tensor) and part.numel() > 0 and bool(part.isinf().all())


def _shape(part: Any) -> Any:
    return (part.shape, part.dtype) if isinstance(part, Tensor) else type(part)


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
        return torch.allclose(one, other, near, max(near * largest, TINY), equal_nan=True)
    if codec := codecs.of(one):
        return codec.alike(one, other, SAME, TINY)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=SAME, abs_tol=TINY)
    return bool(one == other)


def _fits_a_file(value: Any) -> bool:
    try:
        wire.dumps(value)
    except wire.WireError:
        return False
    return _numbers(value) <= MOST_NUMBERS


def _numbers(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, Array):
        return value.size
    if isinstance(value, dict):
        return sum(_numbers(key) + _numbers(inner) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_numbers, value))
    return len(value) if isinstance(value, str | bytes) else 1


class OfTest(Tagged):
    """The first line about a test: the known wrong answers, which later lines name by number."""

    test: str
    answers: list[WrongAnswer]


class Wrong(Message):
    """What an answer returned at a check that takes it for wrong, and what was expected there."""

    answer: int
    expected: Any
    actual: Any = field(name="found")


class AtCheck(Tagged):
    """A line about a check of this test: which answers it takes for right, and the others."""

    check: Check
    right: list[int]
    wrong: list[Wrong]


def pack(tables: Mapping[str, Table]) -> bytes:
    """Tables from :meth:`Table.for_file`, by grade id, as lines of JSON."""
    lines: list[Tagged] = []
    for test, table in tables.items():
        # The check that most answers have come to has them in their order.
        longest = sorted(table._checks.values(), key=len, reverse=True)
        answers = list(dict.fromkeys(answer for known in longest for answer in known))
        lines.append(OfTest(test=test, answers=answers))
        for check, known in table._checks.items():
            line = AtCheck(check=check, right=[], wrong=[])
            for answer, result in known.items():
                number = answers.index(answer)
                if result.right:
                    line.right.append(number)
                else:
                    expected, actual = to_plain(result.expected), to_plain(result.actual)
                    line.wrong.append(Wrong(answer=number, expected=expected, actual=actual))
            lines.append(line)
    return "".join(f"{to_json(line, ascii=False)}\n" for line in lines).encode()


def unpack(packed: bytes) -> dict[str, Table]:
    """The inverse of :func:`pack`, for tables from :meth:`Table.for_file`.

    Raises
    ------
    WireError
        If the bytes are not its result.
    """
    tables: dict[str, Table] = {}
    table, answers = Table(), list[WrongAnswer]()
    try:
        for text in packed.decode().splitlines():
            line = from_json(text, OfTest, AtCheck)
            if isinstance(line, OfTest):
                table, answers = tables.setdefault(line.test, Table()), line.answers
            elif isinstance(line, AtCheck):
                wrong = {one.answer: one for one in line.wrong}
                for number in sorted({*line.right, *wrong}):
                    result = CheckResult(line.check, (), None, right=True)
                    if number in wrong:
                        one = wrong[number]
                        expected, actual = from_plain(one.expected), from_plain(one.actual)
                        result = CheckResult(line.check, expected, actual)
                    table.add(answers[number], [result])
    except (ValueError, TypeError, LookupError, RuntimeError) as error:
        raise wire.WireError(f"not a table of results: {error}") from None
    if not tables:
        raise wire.WireError("not a table of results: it is empty")
    return tables


def stored_folder() -> Path | None:
    """Where a release stores tables: the installed course's own folder, or beside the notebook.

    ``None`` if the folder's package is not installed.
    """
    package, _, rest = program().wrong_results.partition("/")
    if not package:
        return Path.cwd()
    folder = folder_of(package)
    return folder / rest if folder else None


@cache
def stored(folder: Path) -> dict[str, list[Table]]:
    """The tables in a folder, by their tests' grade ids, which two problem sets may share.

    Files that cannot be read are left out.
    """
    tables: dict[str, list[Table]] = {}
    for path in sorted(folder.glob(FILES)):
        # One of another version is left out: tests then say what is wrong in numbers.
        with suppress(wire.WireError):
            for test, table in unpack(path.read_bytes()).items():
                tables.setdefault(test, []).append(table)
    return tables


class Running(Counted):
    """A running test cell.

    Attributes
    ----------
    test:
        Its name, if it is known.
    passed:
        The checks that it has passed.
    uses:
        The names of the learner's functions that it has called.
    """

    def __init__(self, test: str = "") -> None:
        super().__init__()
        self.test = test
        self.passed: list[Check] = []
        self.uses: set[str] = set()


#: The test cell that this notebook runs.
running = Running()

#: How the test cells ended that this notebook has run since any other cell ran.
_endings: dict[str, Ending] = {}


def runs(test: str) -> None:
    """Say which test cell this notebook runs from here on; empty if it is none."""
    global running
    running = Running(test)
    if not test:  # it may change what the tests test
        _endings.clear()


def ended(passed: bool, guess: Guess | None) -> None:
    """Say how the test cell that this notebook ran has ended."""
    if running.test:
        _endings[running.test] = Ending(frozenset(running.uses), passed, guess)


def in_full(guess: Guess) -> Guess:
    """A guess with the visible tests that its causes fail, as far as a release has stored them."""
    tables = all_stored() if guess.causes else {}
    return replace(guess, fails=failed_by(guess.causes, exercise_of(running.test), tables))


def message_of(guess: Guess) -> str:
    """The message about a wrong result, after what this notebook's other tests have shown."""
    here = Ending(frozenset(running.uses), False, guess)
    return agreed({**_endings, running.test: here}).get(running.test, guess.message())


#: Given the checks that were passed, and the messages of the wrong answers to look for (if there
#: are none, all): what these return in the test that runs.
Find = Callable[[Sequence[Check], Sequence[str]], Sequence[Table]]


def find_stored(passed: Sequence[Check], suspects: Sequence[str]) -> Sequence[Table]:
    """A :data:`Find` of what a release has stored for the test that this notebook runs."""
    return all_stored().get(running.test, [])


def all_stored() -> Mapping[str, Sequence[Table]]:
    """What a release has stored, by test."""
    folder = stored_folder()
    return stored(folder) if folder else {}


def failed_by(
    answers: Sequence[WrongAnswer], exercise: str, tables: Mapping[str, Sequence[Table]]
) -> list[list[str]]:
    """For each wrong answer, the tests of its exercise that it fails, as these tables hold them."""
    of_exercise = {
        test: {answer for table in of_test for answer in table.losing()}
        for test, of_test in tables.items()
        if exercise_of(test) == exercise
    }
    return [[test for test, lose in of_exercise.items() if answer in lose] for answer in answers]


def known(
    find: Find, passed: Sequence[Check], suspects: Sequence[str], check: Check, expected: tuple
) -> tuple[dict[WrongAnswer, tuple], set[WrongAnswer]]:
    """What each wrong answer returned at a check that a learner fails.

    Parameters
    ----------
    find, passed, suspects:
        Where to look; with which arguments.
    check, expected:
        As for :meth:`Table.recall`.

    Returns
    -------
    recalled, against
        The results of those that pass the checks that were passed; those that do not, or never
        come to this check.
    """
    recalled: dict[WrongAnswer, tuple] = {}
    against: set[WrongAnswer] = set()
    for table in find(passed, suspects):
        others = table.failing(passed) | table.ended_before(check)
        against |= others
        here = table.recall(check, expected)
        recalled |= {answer: values for answer, values in here.items() if answer not in others}
    return recalled, against
