"""Due dates, penalties, extensions and changed points, as set in ``class.toml``."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from math import ceil
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from nbjudge.intake import cells

#: The file with the instructor's rules for a class, next to the learners' folders.
CLASS_FILE = "class.toml"

#: The top-level keys of the file besides the problem sets.
TIMEZONE, EXTRA_TIME = "timezone", "extra_time"

#: The keys allowed in a problem set's table.
KEYS = ("due", "penalty", "grace", "at_most", "extensions", "void", "points")

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


class _File:
    """The parsed file and its text, for finding line numbers."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8-sig")
            self.data = tomllib.loads(self.text)
        except UnicodeDecodeError:
            raise ValueError(f"{path} must be saved as UTF-8.") from None
        except tomllib.TOMLDecodeError as error:
            raise ValueError(
                f"{path} cannot be read as TOML: {error}. Text and names with a dot or a space "
                "must be in quotes; a date needs seconds, 2026-11-30T23:59:00, or quotes."
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
    zone = _zone(file)
    unknown: list[str] = []

    def known(student: str, *keys: str) -> None:
        if one_spelling(student) not in students:
            place = f"{CLASS_FILE}, line {file.line(*keys)}"
            unknown.append(f"{place}: {student!r} is not in the class.")

    extra_time = {}
    for student, span in _table(file, EXTRA_TIME).items():
        known(student, EXTRA_TIME, student)
        extra_time[one_spelling(student)] = _span(file, span, EXTRA_TIME, student)
    chosen = Rules(extra_time=extra_time, zone=zone)
    for name in file.data:
        if name in (TIMEZONE, EXTRA_TIME):
            continue
        if name not in problem_sets:
            raise file.wrong(
                f"{name!r} is not a problem set; it must be one of: {', '.join(problem_sets)}, or "
                f"{TIMEZONE} or {EXTRA_TIME}.",
                name,
            )
        rules = _rules(file, name, zone, extra_time, known)
        if name == problem_set:
            chosen = rules
    return Rules(**{**vars(chosen), "notes": tuple(dict.fromkeys(unknown))})


def _zone(file: _File) -> tzinfo | None:
    name = file.data.get(TIMEZONE)
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise file.wrong(
            f"{TIMEZONE} is {name!r}, but it must be a name such as 'Europe/Berlin'.", TIMEZONE
        ) from None


def _table(file: _File, *keys: str) -> dict:
    table = file.data
    for key in keys:
        table = table.get(key, {})
    if not isinstance(table, dict):
        raise file.wrong(
            f"{keys[-1]} is {table!r}, but it must be a table, [{'.'.join(keys)}].", *keys
        )
    return table


def _rules(file: _File, name: str, zone: tzinfo | None, extra_time: dict, known: Any) -> Rules:
    about = _table(file, name)
    for key in about:
        if key not in KEYS:
            raise file.wrong(
                f"{key!r} is unknown; it must be one of: {', '.join(KEYS)}.", name, key
            )
    due = _moment(file, about["due"], zone, name, "due") if "due" in about else None
    extensions: dict[str, datetime | timedelta] = {}
    for student, value in _table(file, name, "extensions").items():
        keys = (name, "extensions", student)
        known(student, *keys)
        if due is None:
            raise file.wrong(f"an extension needs a date in `due` of [{name}].", *keys)
        is_span = isinstance(value, str) and _SPAN.match(value)
        extensions[one_spelling(student)] = (
            _span(file, value, *keys) if is_span else _moment(file, value, zone, *keys)
        )
    void = about.get("void", [])
    if not isinstance(void, list) or not all(isinstance(one, str) for one in void):
        raise file.wrong(
            f'void is {void!r}, but it must be a list such as ["a--values"].', name, "void"
        )
    points = _table(file, name, "points")
    for test, value in points.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise file.wrong(
                f"{value!r} is not a number of points; give 0 or more.", name, "points", test
            )
    return Rules(
        due=due,
        penalty=_penalty(file, name, about, due),
        extensions=extensions,
        extra_time=extra_time,
        void=frozenset(void),
        points={test: float(value) for test, value in points.items()},
        zone=zone,
    )


def _moment(file: _File, value: object, zone: tzinfo | None, *keys: str) -> datetime:
    if isinstance(value, str):
        with suppress(ValueError):
            value = datetime.fromisoformat(value.strip()) if ":" in value else value
    if not isinstance(value, datetime):
        hint = ", with a time of day" if isinstance(value, date) else ""
        hint = " (quote a name with a dot in it)" if isinstance(value, dict) else hint
        shown = value.isoformat() if isinstance(value, date) else repr(value)
        raise file.wrong(
            f"{keys[-1]} is {shown}, but it must be a date such as 2026-11-30T23:59:00{hint}"
            f"{' or a time such as “3 days”' if 'extensions' in keys else ''}.",
            *keys,
        )
    return moment(value, zone)


def moment(value: datetime, zone: tzinfo | None) -> datetime:
    """A date and time in UTC; one without a zone is read in ``zone``, or in this machine's."""
    if value.tzinfo is None and zone is not None:
        value = value.replace(tzinfo=zone)
    return value.astimezone(UTC).replace(microsecond=0)


def _span(file: _File, value: object, *keys: str) -> timedelta:
    text = value.strip() if isinstance(value, str) else ""
    total, place = 0.0, 0
    while place < len(text) and (match := _SPAN.match(text, place)):
        total += float(match[1]) * _UNITS[match[2]]
        place = match.end()
    if not text or place < len(text):
        raise file.wrong(
            f"{keys[-1]} is {value!r}, but it must be a time such as '2 days' or '1 day 12 hours'.",
            *keys,
        )
    return timedelta(seconds=total)


def _amount(file: _File, value: object, *keys: str) -> Amount:
    match = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        raise file.wrong(
            f"{keys[-1]} is {value!r}, but it must be like '50 %' or '5 points'.", *keys
        )
    return Amount(float(match[1]), match[2] == "%")


def _penalty(file: _File, name: str, about: dict, due: datetime | None) -> Penalty | None:
    value = about.get("penalty")
    if value is None:
        for key in ("grace", "at_most"):
            if key in about:
                raise file.wrong(f"{key} needs a `penalty` in [{name}].", name, key)
        return None
    if due is None:
        raise file.wrong(f"a penalty needs a date in `due` of [{name}].", name, "penalty")
    text = value.strip() if isinstance(value, str) else ""
    match = _RATE.fullmatch({"none": "0 %", "all": "100 %"}.get(text, text))
    if not match:
        raise file.wrong(
            f"penalty is {value!r}, but it must be 'none', 'all', or like '10 % per day', "
            "'2 points per hour' or '20 %'.",
            *(name, "penalty"),
        )
    grace = _span(file, about["grace"], name, "grace") if "grace" in about else timedelta()
    most = _amount(file, about["at_most"], name, "at_most") if "at_most" in about else None
    return Penalty(
        Amount(float(match[1]), match[2] == "%"),
        float(_UNITS[match[3]]) if match[3] else None,
        grace.total_seconds(),
        most,
    )


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
