"""Due dates, penalties, extensions and changed points, as set in ``class.toml``."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from math import ceil
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta

from nbjudge.inside.messages import Message
from nbjudge.inside.tables import Kind, Misspelt, Spelling, Unknown, keys_of, read_table
from nbjudge.intake import cells

#: The file with the instructor's rules for a class, next to the learners' folders.
CLASS_FILE = "class.toml"

#: The key for what is added to all due dates of a learner.
EXTRA_TIME = "extra_time"

_UNITS = {"minute": 60, "min": 60, "hour": 3600, "h": 3600, "day": 86400, "week": 604800}
_SPAN = re.compile(r"(\d+(?:\.\d+)?) *(minute|min|hour|h|day|week)s?\b *(?:,|and)? *")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) *(%|points?)")
_RATE = re.compile(rf"{_AMOUNT.pattern}(?: *(?:per|a|an) *(minute|hour|day|week))?")


def one_spelling(name: str) -> str:
    """A learner's name in Unicode's composed form (NFC), in which names are compared and stored.

    Folder names from macOS have decomposed accents; tables from elsewhere do not.
    """
    return unicodedata.normalize("NFC", name)


@dataclass(frozen=True)
class Amount:
    """A number of points, or a percentage of the problem set's points."""

    number: float
    percent: bool = False

    def of(self, max_score: float) -> float:
        """The amount in points."""
        return max_score * self.number / 100 if self.percent else self.number


@dataclass(frozen=True)
class Penalty:
    """The cost of late work: ``amount`` for each ``every`` seconds begun, or once."""

    amount: Amount
    every: float | None = None
    grace: float = 0.0
    at_most: Amount | None = None

    def points(self, late: float, score: float, max_score: float) -> float:
        """The points to deduct for work ``late`` seconds late, never more than its score."""
        if late <= self.grace:
            return 0.0
        deducted = self.amount.of(max_score) * (ceil(late / self.every) if self.every else 1)
        if self.at_most is not None:
            deducted = min(deducted, self.at_most.of(max_score))
        return min(score, deducted)


@dataclass(frozen=True)
class Rules:
    """The rules for one problem set.

    ``extensions`` holds a learner's own due date, or the time added to the common one;
    ``extra_time`` is added to all of a learner's due dates. ``void`` names tests that no longer
    count and whose points everyone gets; ``points`` overrides the points of tests in the notebook.
    """

    due: datetime | None = None
    penalty: Penalty | None = None
    extensions: dict[str, datetime | timedelta] = field(default_factory=dict)
    extra_time: dict[str, timedelta] = field(default_factory=dict)
    void: frozenset[str] = frozenset()
    points: dict[str, float] = field(default_factory=dict)
    zone: tzinfo | None = None
    notes: tuple[str, ...] = ()

    def due_for(self, student: str) -> datetime | None:
        """The learner's own due date: a date in ``extensions`` is final; times are added up."""
        if self.due is None:
            return None
        extension = self.extensions.get(student, timedelta())
        if isinstance(extension, datetime):
            return extension
        return self.due + extension + self.extra_time.get(student, timedelta())

    def carries(self, name: str, points: float) -> float:
        """The points of a test that has ``points`` in the notebook."""
        return self.points.get(name, points)

    def adjusted(self, name: str, score: float | None, points: float) -> float | None:
        """The score of a test that was judged as ``score`` of ``points``."""
        if name in self.void:
            return self.carries(name, points)
        if score is None or name not in self.points:
            return score
        return score * self.points[name] / points if points else 0.0


def _zone(name: object) -> tzinfo:
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, OSError):
        raise ValueError from None


def _moment(value: object) -> datetime:
    if isinstance(value, str):
        with suppress(ValueError):
            value = datetime.fromisoformat(value.strip()) if ":" in value else value
    if isinstance(value, datetime):
        return value
    hint = ", with a time of day" if isinstance(value, date) else ""
    raise ValueError(" (quote a name with a dot in it)" if isinstance(value, dict) else hint)


def _span(value: object) -> timedelta:
    text = value.strip() if isinstance(value, str) else ""
    total, place = 0.0, 0
    while place < len(text) and (match := _SPAN.match(text, place)):
        total += float(match[1]) * _UNITS[match[2]]
        place = match.end()
    if not text or place < len(text):
        raise ValueError
    return timedelta(seconds=total)


def _extension(value: object) -> datetime | timedelta:
    with suppress(ValueError):
        return _span(value)
    return _moment(value)


def _amount(value: object) -> Amount:
    match = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise ValueError
    return Amount(float(match[1]), match[2] == "%")


def _penalty(value: object) -> Penalty:
    """A penalty without ``grace`` and ``at_most``, which have keys of their own."""
    text = value.strip() if isinstance(value, str) else ""
    match = _RATE.fullmatch({"none": "0 %", "all": "100 %"}.get(text, text))
    if not match:
        raise ValueError
    every = float(_UNITS[match[3]]) if match[3] else None
    return Penalty(Amount(float(match[1]), match[2] == "%"), every)


_IT_MUST_BE = "{key} is {value}, but it must be "
_DATE = _IT_MUST_BE + "a date such as 2026-11-30T23:59:00{hint}"
_TABLE = Spelling(_IT_MUST_BE + "a table, [{keys}].")
_SPAN_OF_TIME = Spelling(_IT_MUST_BE + "a time such as '2 days' or '1 day 12 hours'.", _span)
_AMOUNT_OF_POINTS = Spelling(_IT_MUST_BE + "like '50 %' or '5 points'.", _amount)
_PENALTY = Spelling(
    _IT_MUST_BE + "'none', 'all', or like '10 % per day', '2 points per hour' or '20 %'.", _penalty
)
_EXTENSION = Spelling(_DATE + " or a time such as “3 days”.", _extension)
_POINTS = Spelling("{value} is not a number of points; give 0 or more.")

_Extension = Annotated[datetime | timedelta, _EXTENSION]
_Points = Annotated[float, Meta(ge=0, lt=1e6), _POINTS]


class ForAll(Message):
    """The file's keys besides the problem sets."""

    timezone: Annotated[
        tzinfo | None, Spelling(_IT_MUST_BE + "a name such as 'Europe/Berlin'.", _zone)
    ] = None
    extra_time: Annotated[dict[str, Annotated[timedelta, _SPAN_OF_TIME]], _TABLE] = {}


class ForOneSet(Message):
    """The table of one problem set; moments are as written, which may be without a zone."""

    due: Annotated[datetime | None, Spelling(_DATE + ".", _moment)] = None
    penalty: Annotated[Penalty | None, _PENALTY] = None
    grace: Annotated[timedelta | None, _SPAN_OF_TIME] = None
    at_most: Annotated[Amount | None, _AMOUNT_OF_POINTS] = None
    extensions: Annotated[dict[str, _Extension], _TABLE] = {}
    void: Annotated[list[str], Spelling(_IT_MUST_BE + 'a list such as ["a--values"].')] = []
    points: Annotated[dict[str, _Points], _TABLE] = {}


class _File:
    """The parsed file and its text, for finding line numbers."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8-sig")
            tables = tomllib.loads(self.text)
        except UnicodeDecodeError:
            raise ValueError(f"{path} must be saved as UTF-8.") from None
        except tomllib.TOMLDecodeError as error:
            raise ValueError(
                f"{path} cannot be read as TOML: {error}. Text and names with a dot or a space "
                "must be in quotes; a date needs seconds, 2026-11-30T23:59:00, or quotes."
            ) from None
        everyone = {key: tables.pop(key) for key in keys_of(ForAll) if key in tables}
        self.for_all = self.read(everyone, ForAll)
        #: The problem sets' tables by name, as they stand in the file.
        self.tables = tables

    def read(self, table: dict, kind: type[Kind], *keys: str) -> Kind:
        """A table of the file, all of whose values are checked."""
        try:
            return read_table(table, kind, *keys)
        except Misspelt as error:
            raise self.wrong(str(error), *error.keys) from None
        except Unknown as error:
            raise self.wrong(
                f"{error.keys[-1]!r} is unknown; it must be one of: {', '.join(error.known)}.",
                *error.keys,
            ) from None

    def line(self, *keys: str) -> int:
        """The line of a key, or of the innermost table on its path."""
        nearest = 1
        table: tuple[str, ...] = ()
        for number, line in enumerate(self.text.splitlines(), 1):
            line = line.strip()
            if line.startswith("["):
                table = tuple(_bare(part) for part in re.findall(_KEY, line.strip("[] ")))
                at = table
            elif re.match(rf"({_KEY}) *[.=]", line):
                at = (*table, *(_bare(part) for part in _path(line)))
            else:
                continue
            if at[: len(keys)] == keys:
                return number
            if at and at == keys[: len(at)]:
                nearest = number
        return nearest

    def wrong(self, problem: str, *keys: str) -> ValueError:
        """An error that names the file and the line."""
        return ValueError(f"{self.path}, line {self.line(*keys)}: {problem}")


_KEY = r"\"[^\"]*\"|'[^']*'|[\w-]+"


def _bare(key: str) -> str:
    return key.strip("\"'")


def _path(line: str) -> list[str]:
    """The keys before the equals sign."""
    match = re.match(rf"(?:{_KEY})(?: *\. *(?:{_KEY}))*", line)
    return re.findall(_KEY, match.group()) if match else []


def read_rules(
    submitted: Path, problem_set: str, problem_sets: Collection[str], students: Collection[str]
) -> Rules:
    """The rules for a problem set, from ``class.toml`` in the folder ``submitted`` if it is there.

    The whole file is checked, so that a mistake in another problem set's rules is found early.

    Parameters
    ----------
    submitted:
        The folder with the learners' folders.
    problem_set:
        The problem set to grade.
    problem_sets:
        All of the course's problem sets.
    students:
        Everyone in the class.

    Raises
    ------
    ValueError
        If something in the file is invalid; the message names the line.
    """
    path = submitted / CLASS_FILE
    if not path.is_file():
        return Rules()
    file = _File(path)
    zone = file.for_all.timezone
    unknown: list[str] = []

    def known(student: str, *keys: str) -> None:
        if one_spelling(student) not in students:
            place = f"{CLASS_FILE}, line {file.line(*keys)}"
            unknown.append(f"{place}: {student!r} is not in the class.")

    extra_time = {}
    for student, span in file.for_all.extra_time.items():
        known(student, EXTRA_TIME, student)
        extra_time[one_spelling(student)] = span
    chosen = Rules(extra_time=extra_time, zone=zone)
    for name, table in file.tables.items():
        if name not in problem_sets:
            raise file.wrong(
                f"{name!r} is not a problem set; it must be one of: {', '.join(problem_sets)}, or "
                f"{' or '.join(keys_of(ForAll))}.",
                name,
            )
        if not isinstance(table, dict):
            raise file.wrong(f"{name} is {table!r}, but it must be a table, [{name}].", name)
        rules = _rules(file, name, file.read(table, ForOneSet, name), extra_time, known)
        if name == problem_set:
            chosen = rules
    return Rules(**{**vars(chosen), "notes": tuple(dict.fromkeys(unknown))})


def _rules(
    file: _File,
    name: str,
    table: ForOneSet,
    extra_time: dict[str, timedelta],
    known: Callable[..., None],
) -> Rules:
    zone = file.for_all.timezone
    extensions: dict[str, datetime | timedelta] = {}
    for student, value in table.extensions.items():
        keys = (name, "extensions", student)
        known(student, *keys)
        if table.due is None:
            raise file.wrong(f"an extension needs a date in `due` of [{name}].", *keys)
        if isinstance(value, datetime):
            value = moment(value, zone)
        extensions[one_spelling(student)] = value
    if table.penalty is None:
        for key in ("grace", "at_most"):
            if getattr(table, key) is not None:
                raise file.wrong(f"{key} needs a `penalty` in [{name}].", name, key)
    elif table.due is None:
        raise file.wrong(f"a penalty needs a date in `due` of [{name}].", name, "penalty")
    else:
        grace = (table.grace or timedelta()).total_seconds()
        table.penalty = replace(table.penalty, grace=grace, at_most=table.at_most)
    return Rules(
        due=None if table.due is None else moment(table.due, zone),
        penalty=table.penalty,
        extensions=extensions,
        extra_time=extra_time,
        void=frozenset(table.void),
        points=table.points,
        zone=zone,
    )


def moment(value: datetime, zone: tzinfo | None) -> datetime:
    """A date and time in UTC; one without a zone is read in ``zone``, or in this machine's."""
    if value.tzinfo is None and zone is not None:
        value = value.replace(tzinfo=zone)
    return value.astimezone(UTC).replace(microsecond=0)


def check_tests(rules: Rules, graded: Collection[str], problem_set: str) -> Rules:
    """The same rules with each exercise in ``void`` replaced by the names of its tests.

    Raises
    ------
    ValueError
        If ``void`` or ``points`` names something without points in this problem set, or ``points``
        names a written answer.
    """
    void = set()
    for name in rules.void:
        matching = {test for test in graded if name in (test, cells.exercise_of(test))}
        if not matching:
            raise ValueError(_no_test(name, "void", graded, problem_set))
        void |= matching
    for name in rules.points:
        if name not in graded:
            raise ValueError(_no_test(name, "points", graded, problem_set))
        if name.endswith(cells.WRITTEN):
            raise ValueError(
                f"{CLASS_FILE} changes the points of {name} in [{problem_set}.points], but it is "
                "marked by hand: change its points in the instructor's notebook and mark it again."
            )
    return Rules(**{**vars(rules), "void": frozenset(void)})


def _no_test(name: str, key: str, graded: Collection[str], problem_set: str) -> str:
    return (
        f"{CLASS_FILE} names {name!r} under {key} of [{problem_set}], but it must be one of: "
        f"{', '.join(graded)}."
    )
