"""Who is in the class, when their work came in, and the folders that hold it."""

from __future__ import annotations

import csv
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

#: Who is in the class: a column ``student``, and whatever else a learning platform wants to know.
ROSTER = "roster.csv"

#: An instructor's own list of when works came in, beside the learners' folders.
RECEIPTS = "receipts.csv"


def class_of(submitted: Path) -> tuple[list[str], dict[str, str]]:
    """The students, in order, and a flag for each that deserves one.

    They are the folders in ``submitted`` and, where there is a ``roster.csv`` with a column
    ``student``, everyone in it.

    Raises
    ------
    ValueError
        Where the roster has no such column, or there is no student at all.
    """
    folders = {name for name in _folders(submitted) if _can_be_written(name)}
    roster = submitted / ROSTER
    if not roster.is_file():
        if not folders:
            raise ValueError(
                f"submitted is {str(submitted)!r}, but no student's folder is in it: it must hold "
                "STUDENT/PS/PS.ipynb for each student."
            )
        return sorted(folders), {}
    listed = list(people(submitted))
    if not listed:
        raise ValueError(f"{roster} must have a column called student with a name in each row.")
    if bad := [name for name in listed if "/" in name or "\\" in name or name.startswith(".")]:
        raise ValueError(f"{roster} lists {bad[0]!r}, which cannot be a folder's name.")
    flags = dict.fromkeys(folders - set(listed), "not in roster.csv")
    return sorted(folders | set(listed)), flags


def _folders(submitted: Path) -> set[str]:
    return {
        path.name
        for path in submitted.iterdir()
        if path.is_dir() and not path.name.startswith((".", "_"))
    }


def _can_be_written(name: str) -> bool:
    """Whether a folder's name can stand in a table and on a terminal. All sorts of spaces can: what
    learning platforms download has no-break ones."""
    return all(letter.isprintable() or unicodedata.category(letter) == "Zs" for letter in name)


def unreadable(submitted: Path) -> list[str]:
    """A line for each folder whose name cannot be written, as one that is not in UTF-8: what is in
    it is not graded."""
    return [
        f"submitted holds the folder {ascii(name)[1:-1]}, whose name cannot be written (is it not "
        "in UTF-8?): it was left out. Rename it and grade again."
        for name in sorted(_folders(submitted))
        if not _can_be_written(name)
    ]


def people(submitted: Path) -> dict[str, dict[str, str]]:
    """What ``roster.csv`` says of each student, by column; nothing where there is none."""
    found = {}
    for row in _rows(submitted / ROSTER):
        student = (row.get("student") or "").strip()
        if student:
            found[student] = {
                column: value.strip()
                for column, value in row.items()
                if isinstance(column, str) and isinstance(value, str)
            }
    return found


def _rows(path: Path) -> list[dict]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def receipts(submitted: Path) -> dict[str, datetime]:
    """When each student's work came in, by the instructor's ``receipts.csv`` where there is one.

    Its columns are ``student`` and ``received``, a date and time in ISO 8601; one without a zone
    is taken as this machine's local time.

    Raises
    ------
    ValueError
        Where a column is missing or a time cannot be read.
    """
    path = submitted / RECEIPTS
    found = {}
    for row in _rows(path):
        student, when = (row.get("student") or "").strip(), (row.get("received") or "").strip()
        if not student:
            raise ValueError(f"{path} must have the columns student and received in each row.")
        if not when:
            continue
        try:
            found[student] = datetime.fromisoformat(when).astimezone(UTC).replace(microsecond=0)
        except ValueError:
            raise ValueError(
                f"{path} says {when!r} for {student}, but it must be a date and time such as "
                "2026-11-30T23:59."
            ) from None
    return found


def check_folders(submitted: Path, into: Path) -> None:
    """Refuse folders that would write over each other.

    Raises
    ------
    ValueError
        Where ``submitted`` is not there, or one of the two lies in the other.
    """
    if not submitted.is_dir():
        raise ValueError(
            f"submitted is {str(submitted)!r}, but it must be a folder that holds "
            "STUDENT/PS/PS.ipynb for each student."
        )
    one, other = submitted.resolve(), into.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise ValueError(
            f"into is {str(into)!r} and submitted is {str(submitted)!r}, but neither may lie in "
            "the other: choose a folder elsewhere for the results."
        )
    if into.exists() and not into.is_dir():
        raise ValueError(f"into is {str(into)!r}, but it must be a folder, there or to be made.")
