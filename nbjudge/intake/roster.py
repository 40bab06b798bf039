"""The students of a class, when their work came in, and the folders that hold it."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Collection
from datetime import datetime, tzinfo
from pathlib import Path

from nbjudge.files import write_whole
from nbjudge.intake.policy import moment, one_spelling

#: List of the class: a column ``student``, and whatever else a learning platform needs.
ROSTER = "roster.csv"

#: The instructor's own list of when work came in, next to the learners' folders.
RECEIPTS = "receipts.csv"

#: The columns of the receipts with the problem set, and whether the platform calls the work late.
PROBLEM_SET, LATE = "problem_set", "late"

#: What Windows programs write before UTF-8 text.
BYTE_ORDER_MARK = "\ufeff"

#: Flag of a student whom the list does not have.
UNLISTED = f"not in {ROSTER}"

#: Maximum number of characters in a student's name: that of nbgrader's column in the gradebook.
LONGEST = 128


def class_of(submitted: Path) -> tuple[list[str], dict[str, str]]:
    """The students, sorted, and flags for those who need one.

    They are the folders in ``submitted`` and, if there is a ``roster.csv`` with a column
    ``student``, everyone in it.

    Raises
    ------
    ValueError
        If the roster has no such column, or there is no student at all.
    """
    folders = set(folders_of(submitted))
    roster = submitted / ROSTER
    if not roster.is_file():
        if not folders:
            raise ValueError(
                f"submitted is {str(submitted)!r}, but it contains no student's folder: it must "
                "hold STUDENT/PS/PS.ipynb for each student."
            )
        return sorted(folders), {}
    listed = list(people(submitted))
    if not listed:
        raise ValueError(f"{roster} must have a column called student with a name in each row.")
    if bad := [name for name in listed if "/" in name or "\\" in name or name.startswith(".")]:
        raise ValueError(f"{roster} lists {bad[0]!r}, which cannot be a folder's name.")
    if long := [name for name in listed if len(name) > LONGEST]:
        raise ValueError(
            f"{roster} lists {long[0]!r}: a name may have at most {LONGEST} characters."
        )
    flags = dict.fromkeys(folders - set(listed), UNLISTED)
    return sorted(folders | set(listed)), flags


def folders_of(submitted: Path) -> dict[str, Path]:
    """Each student's folder, by the student's name.

    If two folders spell a name differently, it is the one in composed form (NFC).
    """
    names = sorted(name for name in _folders(submitted) if not _refused(name))
    names.sort(key=lambda name: name == one_spelling(name))
    return {one_spelling(name): submitted / name for name in names}


def _folders(submitted: Path) -> set[str]:
    return {
        path.name
        for path in submitted.iterdir()
        if path.is_dir() and not path.name.startswith((".", "_"))
    }


def _refused(name: str) -> str:
    """Why a folder's name cannot be a student's; empty if it can.

    It must fit into a table, a terminal and the gradebook. All kinds of spaces do: downloads from
    learning platforms contain no-break spaces.
    """
    if not all(letter.isprintable() or unicodedata.category(letter) == "Zs" for letter in name):
        return "whose name cannot be written (is it not UTF-8?)"
    if len(one_spelling(name)) > LONGEST:
        return f"whose name has more than {LONGEST} characters"
    return ""


def unreadable(submitted: Path) -> list[str]:
    """A line for each folder whose content is not graded because of its name.

    The name is unprintable (for example not UTF-8), too long for the gradebook, or spells another
    folder's name differently.
    """
    read = folders_of(submitted)
    twice = [
        f"submitted contains two folders called {one_spelling(name)}: the one spelled "
        f"{ascii(name)} was left out. Keep the one that counts and grade again."
        for name in sorted(_folders(submitted))
        if not _refused(name) and read[one_spelling(name)].name != name
    ]
    return twice + [
        f"submitted contains the folder {ascii(name)[1:-1]}, {why}: it was left out. Rename it "
        "and grade again."
        for name in sorted(_folders(submitted))
        if (why := _refused(name))
    ]


def people(submitted: Path) -> dict[str, dict[str, str]]:
    """Each student's row of ``roster.csv``, by column; empty if there is no roster."""
    persons = {}
    for _, row in rows_of(submitted / ROSTER):
        student = one_spelling(_cell(row, "student"))
        if student:
            persons[student] = {
                column: value.strip()
                for column, value in row.items()
                if isinstance(column, str) and isinstance(value, str)
            }
    return persons


def rows_of(path: Path) -> list[tuple[int, dict]]:
    """The rows of a table with their line numbers; empty if the file is missing.

    Raises
    ------
    ValueError
        If the file is not UTF-8 text, or not a CSV table.
    """
    if not path.is_file():
        return []
    text = text_of(path).removeprefix(BYTE_ORDER_MARK)
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter_of(text))
    try:
        return [(table.line_num, row) for row in table]
    except csv.Error as error:
        raise ValueError(f"{path}, line {table.line_num}: not a CSV table ({error}).") from None


def text_of(path: Path) -> str:
    """A table's text, with its line ends and the mark that some programs write before it.

    Raises
    ------
    ValueError
        If it is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path} must be saved as UTF-8 (CSV UTF-8 in a spreadsheet).") from None


def delimiter_of(text: str) -> str:
    """The sign between a table's cells: spreadsheets in many countries write semicolons."""
    first = text.partition("\n")[0]
    return ";" if first.count(";") > first.count(",") else ","


def _cell(row: dict, column: str) -> str:
    return (row.get(column) or "").strip()


def receipts(
    submitted: Path,
    problem_set: str,
    problem_sets: Collection[str],
    zone: tzinfo | None = None,
) -> dict[str, datetime]:
    """When each student's work on a problem set came in, from the instructor's ``receipts.csv``.

    Its columns are ``student``, ``problem_set`` and ``received``, a date and time in ISO 8601. A
    table without the second column is read only if ``submitted`` holds work on one problem set.

    Parameters
    ----------
    submitted:
        The folder with the students' folders and the table.
    problem_set:
        The problem set whose receipts to return.
    problem_sets:
        All of the course's problem sets.
    zone:
        The time zone of times without one; by default this machine's.

    Raises
    ------
    ValueError
        If a column is missing, a time cannot be read, or two rows contradict each other. The
        message names the line.
    """
    path = submitted / RECEIPTS
    rows = rows_of(path)
    if rows and PROBLEM_SET not in rows[0][1]:
        names = sorted(_handed_in(submitted, problem_sets) | {problem_set})
        if len(names) > 1:
            raise ValueError(
                f"{path} must have a column called {PROBLEM_SET}, since submitted holds work on "
                f"more than one problem set: {', '.join(names)}."
            )
    times: dict[tuple[str, str], tuple[datetime, int]] = {}
    for line, row in rows:
        student, when = one_spelling(_cell(row, "student")), _cell(row, "received")
        about = _cell(row, PROBLEM_SET) if PROBLEM_SET in row else problem_set
        if not student or "received" not in row or not about:
            raise ValueError(
                f"{path}, line {line}: there must be columns student, {PROBLEM_SET} and received, "
                "the first two with a value in each row."
            )
        if about not in problem_sets:
            raise ValueError(
                f"{path}, line {line}: {about!r} is not a problem set; it must be one of: "
                f"{', '.join(problem_sets)}."
            )
        if not when:
            continue
        try:
            time = moment(datetime.fromisoformat(when), zone)
        except ValueError:
            raise ValueError(
                f"{path}, line {line}: {when!r} is given for {student}, but it must be a date and "
                "time such as 2026-11-30T23:59."
            ) from None
        before = times.setdefault((student, about), (time, line))
        if before[0] != time:
            raise ValueError(
                f"{path}, line {line}: the time for {student} and {about} differs from that in "
                f"line {before[1]}. Keep the one that counts."
            )
    return {student: time for (student, about), (time, _) in times.items() if about == problem_set}


def receipt_rows(path: Path) -> tuple[list[str], list[dict]]:
    """The columns and rows of a table of receipts, to be extended.

    If there is no table yet, the columns are the default ones.

    Raises
    ------
    ValueError
        If the table has no column for the problem set.
    """
    rows = [row for _, row in rows_of(path)]
    if rows and PROBLEM_SET not in rows[0]:
        raise ValueError(f"{path} must have a column called {PROBLEM_SET}.")
    return columns_of(rows) or ["student", PROBLEM_SET, "received"], rows


def columns_of(rows: list[dict]) -> list[str]:
    """The columns of a table's rows."""
    return [name for name in (rows[0] if rows else ()) if isinstance(name, str)]


def write_table(path: Path, columns: list[str], rows: list[dict]) -> None:
    """Write a table that :func:`rows_of` reads."""
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, columns, restval="", lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows(rows)
    write_whole(path, text.getvalue())


def called_late(submitted: Path, problem_set: str) -> dict[str, bool]:
    """Whom the learning platform calls late, and whom not, by the column ``late`` of the receipts.

    Canvas says no more than that in its download.
    """
    return {
        one_spelling(_cell(row, "student")): _cell(row, LATE) == "yes"
        for _, row in rows_of(submitted / RECEIPTS)
        if row.get(PROBLEM_SET, problem_set) == problem_set and _cell(row, LATE) in ("yes", "no")
    }


def unknown(received: dict[str, datetime], students: Collection[str]) -> list[str]:
    """A warning for each receipt of someone who is not in the class."""
    return [
        f"{RECEIPTS}: {name!r} is not in the class."
        for name in sorted(received.keys() - set(students))
    ]


def _handed_in(submitted: Path, problem_sets: Collection[str]) -> set[str]:
    """The problem sets that at least one student has handed in."""
    students = [path for path in submitted.iterdir() if path.is_dir()]
    return {
        name
        for name in problem_sets
        for path in students
        if (path / name).is_dir() or (path / f"{name}.ipynb").is_file()
    }


def check_folders(submitted: Path, into: Path) -> None:
    """Refuse folders that would overwrite each other.

    Raises
    ------
    ValueError
        If ``submitted`` is not a folder, ``into`` is a file, or one contains the other.
    """
    if not submitted.is_dir():
        raise ValueError(
            f"submitted is {str(submitted)!r}, but it must be a folder that holds "
            "STUDENT/PS/PS.ipynb for each student."
        )
    one, other = submitted.resolve(), into.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise ValueError(
            f"into is {str(into)!r} and submitted is {str(submitted)!r}, but neither may contain "
            "the other: choose another folder for the results."
        )
    if into.exists() and not into.is_dir():
        raise ValueError(f"into is {str(into)!r}, but it must be a folder or not exist yet.")
