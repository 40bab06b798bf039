"""The roster and the receipts of a class, extended by what a platform says."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbjudge.collect.naming import digits
from nbjudge.intake import roster
from nbjudge.intake.policy import one_spelling
from nbjudge.intake.which import alike

#: For each platform the columns of its own table that the roster keeps; the first one has the
#: learner's number, the second the name.
COLUMNS = {
    "canvas": ("ID", "Student", "SIS User ID", "SIS Login ID", "Section"),
    "moodle": ("Identifier", "Full name", "Email address", "Username", "ID number"),
}

#: What the table with these columns is called there.
TABLES = {
    "canvas": "the gradebook (Grades > Export)",
    "moodle": "the grading worksheet (Submissions > Download grading worksheet)",
}

#: When work came in, in Moodle's worksheet.
_RECEIVED = "Last modified (submission)"

#: Moodle's times, in English with and without AM and PM, and in figures.
_TIMES = ("%A, %d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M", "%d %B %Y, %H:%M", "%d/%m/%Y, %H:%M")


@dataclass
class Person:
    """A learner in the platform's own table: the row, and when work came in if it says so."""

    row: dict[str, str]
    received: str = ""
    unreadable: str = ""


def read_gradebook(platform: str, path: Path) -> dict[str, Person]:
    """The learners of a platform's own table, by number.

    Raises
    ------
    ValueError
        If it is another table.
    """
    number, name, *_ = COLUMNS[platform]
    if not path.is_file():
        raise ValueError(f"gradebook is {str(path)!r}, but there is no such file.")
    rows = [row for _, row in roster.rows_of(path)]
    if not rows or number not in rows[0] or name not in rows[0]:
        raise ValueError(
            f"{path} has no columns {number} and {name}: it must be {TABLES[platform]}."
        )
    persons = {}
    for row in rows:
        if key := digits(row[number] or ""):
            person = Person({c: (row.get(c) or "").strip() for c in COLUMNS[platform] if c in row})
            when = (row.get(_RECEIVED) or "").strip()
            person.received = _moment(when)
            person.unreadable = "" if person.received or when in ("", "-") else when
            persons[key] = person
    return persons


def _moment(text: str) -> str:
    for form in _TIMES:
        with suppress(ValueError):
            # As in the table: the zone is the one that class.toml names.
            return datetime.strptime(text, form).isoformat(timespec="minutes")  # noqa: DTZ007
    with suppress(ValueError):
        return datetime.fromisoformat(text).isoformat(timespec="minutes")
    return ""


@dataclass
class Roster:
    """``roster.csv``, to be extended. Rows and values that are there already stay as they are."""

    path: Path
    number: str = ""
    rows: list[dict] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, submitted: Path, platform: str) -> Roster:
        """The table in ``submitted``; empty if there is none."""
        path = submitted / roster.ROSTER
        rows = [row for _, row in roster.rows_of(path)]
        if rows and "student" not in rows[0]:
            raise ValueError(f"{path} must have a column called student.")
        number = COLUMNS[platform][0] if platform in COLUMNS else ""
        return cls(path, number, rows, roster.columns_of(rows) or ["student"])

    def names(self) -> dict[str, str]:
        """The learners' numbers on the platform by name; empty if a number is not known."""
        return {
            one_spelling((row["student"] or "").strip()): digits(row.get(self.number) or "")
            for row in self.rows
        }

    def add(self, student: str, values: dict[str, str]) -> None:
        """Add a learner, or what is not known yet about one."""
        self.columns += [name for name in values if name not in self.columns]
        for row in self.rows:
            if one_spelling((row["student"] or "").strip()) == student:
                row |= {name: value for name, value in values.items() if not row.get(name)}
                return
        self.rows.append({"student": student, **values})

    def write(self) -> None:
        """Write the table."""
        roster.write_table(self.path, self.columns, self.rows)


def as_folder(name: str) -> str:
    """A learner's name as the name of a folder, on any system."""
    name = "".join(letter if letter.isprintable() else "-" for letter in one_spelling(name))
    return re.sub(r'[/\\:*?"<>|]+', "-", name).strip(" .-_")[:100].strip() or "learner"


def name_in_files(platform: str, person: Person) -> str:
    """What the platform calls a learner in the names of files."""
    name = person.row[COLUMNS[platform][1]]
    return alike(name) if platform == "canvas" else name


def names_for(taken: dict[str, str], numbers: dict[str, str]) -> dict[str, str]:
    """A folder's name for each number on the platform.

    Parameters
    ----------
    taken:
        The roster: the number of each learner, empty if it is not known.
    numbers:
        What the platform calls each learner in the names of files, by number. Learners of one name
        get their number added, unless the roster has named them already.
    """
    known = {number: student for student, number in taken.items() if number}
    wanted = {n: as_folder(name) for n, name in numbers.items() if n not in known}
    count: dict[str, int] = {}
    for name in wanted.values():
        count[name.casefold()] = count.get(name.casefold(), 0) + 1
    used = {student.removesuffix(f"-{n}").casefold() for student, n in taken.items() if n}
    for number, name in wanted.items():
        alone = count[name.casefold()] == 1 and name.casefold() not in used
        known[number] = name if alone else f"{name}-{number}"
    return {number: known[number] for number in numbers}
