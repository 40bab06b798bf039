"""Put the marks into a table that Canvas or Moodle wrote, and leave all else as it is.

The tables are Canvas's export of a gradebook and Moodle's offline grading worksheet. Canvas's
columns, its rows before the learners' and what its import ignores are those of Canvas's
``GradebookExporter`` and ``GradebookImporter``; Moodle's are those of ``assignfeedback_offline``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nbjudge.collect.naming import digits
from nbjudge.collect.tables import COLUMNS, TABLES
from nbjudge.files import write_whole
from nbjudge.intake.roster import BYTE_ORDER_MARK, ROSTER, delimiter_of, text_of
from nbjudge.intake.which import alike
from nbjudge.report.exports import exported
from nbjudge.store.results import Report

#: What a cell without quotes, or with, consists of, for a sign between cells.
_CELL = '"(?:[^"]|"")*"|[^{sign}\r\n"]*'

#: An assignment's column in Canvas: its name and its number there.
_ASSIGNMENT = re.compile(r"(?P<title>.*) \((?P<number>\d+)\)", re.DOTALL)

#: The columns of Moodle's worksheet without which it takes no marks.
_GRADE, _GRADED, _CHANGEABLE = "Grade", "Last modified (grade)", "Grade can be changed"
_MAXIMUM = "maximum grade"

#: Cells of Canvas's that no mark replaces: the learner is excused, or has no such assignment.
_KEPT = ("EX", "N/A")


@dataclass
class Filled:
    """A table with marks: where it is, whose mark is in it, and what there is to say."""

    path: Path
    students: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass
class PlatformTable:
    """A table's text, and of each cell the value and the place in the text."""

    path: Path
    before: str  # a byte order mark, or nothing
    text: str
    rows: list[list[str]]
    places: list[list[tuple[int, int]]]

    @classmethod
    def read(cls, path: Path) -> PlatformTable:
        """Read a table, whatever signs it has between cells and rows.

        Raises
        ------
        ValueError
            If it is missing, not UTF-8, or not a CSV table.
        """
        if not path.is_file():
            raise ValueError(f"There is no table {str(path)!r} to fill in.")
        whole = text_of(path)
        text = whole.removeprefix(BYTE_ORDER_MARK)
        sign = delimiter_of(text)
        places = [row for row in _places(text, sign) if row]
        rows = [[_value(text[slice(*place)]) for place in row] for row in places]
        try:
            read = [*csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)]
        except csv.Error as error:
            raise ValueError(f"{path} is not a CSV table ({error}).") from None
        if rows != [row for row in read if row]:
            raise ValueError(f"{path} is not a CSV table: a quotation mark is in a wrong place.")
        return cls(path, whole.removesuffix(text), text, rows, places)

    def column(self, name: str) -> int:
        """Where a column is.

        Raises
        ------
        ValueError
            If there is none of this name, or several.
        """
        header = [one.strip() for one in self.rows[0]] if self.rows else []
        if header.count(name) != 1:
            many = "no column" if name not in header else "several columns"
            raise ValueError(f"{self.path} has {many} called {name!r}.")
        return header.index(name)

    def cell(self, row: int, column: int) -> str:
        """A cell's value; empty if the row is too short."""
        return self.rows[row][column].strip() if column < len(self.rows[row]) else ""

    def replaced(self, values: dict[tuple[int, int], str]) -> str:
        """The text with other values in these cells."""
        parts, end = [self.before], 0
        for row, column in sorted(values):
            start, after = self.places[row][column]
            parts += [self.text[end:start], values[row, column]]
            end = after
        return "".join([*parts, self.text[end:]])


def _places(text: str, sign: str) -> Iterator[list[tuple[int, int]]]:
    """Where each row's cells are; no cells for an empty line."""
    cell, place = re.compile(_CELL.format(sign=sign)), 0
    while place < len(text):
        row = []
        while match := cell.match(text, place):
            row.append(match.span())
            place = match.end()
            if text[place : place + 1] != sign:
                break
            place += 1
        end = re.compile(r"\r\n|\r|\n|\Z").match(text, place)
        if end is None:  # a quotation mark in the middle: the caller compares, and refuses
            return
        place = max(end.end(), place)
        yield [] if len(row) == 1 and row[0][0] == row[0][1] else row
        if end.start() == end.end():
            return


def _value(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def fill(
    kind: str,
    table: Path,
    report: Report,
    people: dict[str, dict[str, str]],
    into: Path,
    provisional: bool = False,
    column: str = "",
) -> Filled:
    """Write ``PS-canvas.csv`` or ``PS-moodle.csv``: the platform's own table, with marks.

    Only the marks' cells change; every other byte stays. Learners are found by their number on the
    platform, which ``roster.csv`` has, or else by another id there.

    Parameters
    ----------
    kind:
        ``"canvas"`` or ``"moodle"``.
    table:
        The table as the platform wrote it.
    report, people, provisional:
        As in :func:`nbjudge.report.exports.rows`.
    into:
        The folder for the result.
    column:
        In Canvas the assignment's column or its number; by default the one named after the
        problem set.

    Raises
    ------
    ValueError
        If it is not such a table, its column cannot be told, or no learner is in it.
    """
    export = PlatformTable.read(table)
    number, name, *_ = COLUMNS[kind]
    header = {one.strip() for one in export.rows[0]} if export.rows else set()
    if number not in header:
        raise ValueError(f"{table} has no column {number}: it must be {TABLES[kind]}.")
    if kind == "canvas":
        target = _assignment(export, report.problem_set, column)
    else:
        target = export.column(_GRADE)
        export.column(_GRADED)  # Moodle takes no marks without it
    made = Filled(into / f"{report.problem_set}-{kind}.csv")
    rows = _Rows(kind, export)
    values: dict[tuple[int, int], str] = {}
    unknown, kept = [], []
    for student in exported(report, people, provisional):
        row = rows.of(student, people.get(student, {}))
        if row is None:
            unknown.append(student)
        elif rows.kept(row, target):
            kept.append(student)
        else:
            values[row, target] = f"{report.students[student].score:g}"
            made.students.append(student)
    if not made.students and (unknown or kept):
        raise ValueError(
            f"{table} has a row for no learner with a mark: not for {', '.join(unknown + kept)}. "
            f"Their {number} must be in {ROSTER}: collect with --gradebook."
        )
    made.remarks += _remarks(kind, unknown, kept)
    made.remarks += _other_points(kind, export, rows, target, report)
    write_whole(made.path, export.replaced(values))
    return made


def _assignment(table: PlatformTable, problem_set: str, wanted: str) -> int:
    """The column of an assignment in Canvas's table."""
    header = [one.strip() for one in table.rows[0]]
    names = {place: _ASSIGNMENT.fullmatch(one) for place, one in enumerate(header)}
    if wanted:
        fits = [
            place
            for place, name in names.items()
            if wanted == header[place] or (name and wanted in name.groups())
        ]
    else:
        own = alike(problem_set)
        fits = [place for place, name in names.items() if name and alike(name["title"]) == own]
    if len(fits) != 1:
        there = ", ".join(repr(header[place]) for place, name in names.items() if name) or "none"
        raise ValueError(
            f"{table.path} has {'several columns' if fits else 'no column'} for "
            f"{wanted or problem_set!r}. Name the assignment's number with --column; the "
            f"assignments there are: {there}."
        )
    return fits[0]


class _Rows:
    """The learners' rows of a table, by the platform's ids."""

    def __init__(self, kind: str, table: PlatformTable):
        self.kind, self.table = kind, table
        header = [one.strip() for one in table.rows[0]]
        number, name, *others = COLUMNS[kind]
        self.ids: dict[str, dict[str, list[int]]] = {}
        self.learners: list[int] = []
        place = table.column(number)
        for row in range(1, len(table.rows)):
            if digits(table.cell(row, place)):  # Canvas's rows about assignments have none
                self.learners.append(row)
        for column in (number, *(one for one in others if one in header and one != "Section")):
            place, rows = table.column(column), self.ids.setdefault(column, {})
            for row in self.learners:
                value = table.cell(row, place)
                rows.setdefault(digits(value) if column == number else value, []).append(row)
        twice = [value for value, rows in self.ids[number].items() if len(rows) > 1]
        if twice:
            raise ValueError(f"{table.path} has two rows with the {number} {twice[0]}.")

    def of(self, student: str, about: dict[str, str]) -> int | None:
        """A learner's row; ``None`` if there is none, or it cannot be told."""
        number, *columns = self.ids
        if given := digits(about.get(number, "")):
            return next(iter(self.ids[number].get(given, [])), None)
        own = {"SIS Login ID": student, "Username": student}
        for column in columns:
            given = about.get(column) or own.get(column, "")
            rows = self.ids[column].get(given, []) if given else []
            if len(rows) == 1:
                return rows[0]
        return None

    def kept(self, row: int, target: int) -> bool:
        """Whether the platform lets this row's mark alone."""
        table = self.table
        if self.kind == "canvas":
            return table.cell(row, target).upper() in _KEPT
        header = [one.strip() for one in table.rows[0]]
        return _CHANGEABLE in header and (
            table.cell(row, header.index(_CHANGEABLE)).casefold() == "no"
        )


def _remarks(kind: str, unknown: list[str], kept: list[str]) -> Iterator[str]:
    if unknown:
        yield f"{kind.capitalize()}'s table has no row for: {', '.join(unknown)}."
    if kept:
        why = "excused, or not assigned" if kind == "canvas" else "the grade cannot be changed"
        yield f"Left as they are in {kind.capitalize()}'s table ({why}): {', '.join(kept)}."


def _other_points(
    kind: str, table: PlatformTable, rows: _Rows, target: int, report: Report
) -> Iterator[str]:
    """Say so if the platform counts another number of points; refuse a column that is read only."""
    most = max((student.max_score for student in report.students.values()), default=0.0)
    if kind == "canvas":
        maxima = [
            table.cell(row, target)
            for row in range(1, len(table.rows))
            if "Points Possible" in table.cell(row, 0)
        ]
    else:
        header = [one.strip().casefold() for one in table.rows[0]]
        place = header.index(_MAXIMUM) if _MAXIMUM in header else None
        maxima = [table.cell(row, place) for row in rows.learners[:1]] if place is not None else []
    if any("read only" in one for one in maxima):
        name = table.rows[0][target].strip()
        raise ValueError(f"{table.path}: Canvas's column {name!r} is read only.")
    for one in maxima:
        with suppress(ValueError):
            if float(one.replace(",", ".")) != most:
                yield (
                    f"{kind.capitalize()} counts {one} points for this assignment, the problem "
                    f"set {most:g}: change it there before you import."
                )
