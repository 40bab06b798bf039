"""Export the scores in the formats that Canvas and Moodle import."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from nbjudge.files import write_whole
from nbjudge.store.results import Report, as_cell

#: Names of Canvas's columns; the third or fourth identifies a student.
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")

#: Columns that Moodle's import recognises; it asks which column holds the score.
MOODLE = ("Email address", "Username", "ID number")

KINDS = ("canvas", "moodle")


def check_kind(kind: str) -> None:
    """Refuse an unknown kind of export.

    Raises
    ------
    ValueError
        If ``kind`` is not one of :data:`KINDS`.
    """
    if kind not in KINDS:
        raise ValueError(f"export is {kind!r}, but it must be one of: {', '.join(KINDS)}.")


def rows(
    kind: str, report: Report, people: dict[str, dict[str, str]], provisional: bool = False
) -> tuple[list[str], list[dict]]:
    """The columns and the rows of an export.

    Parameters
    ----------
    kind:
        ``"canvas"`` or ``"moodle"``.
    report:
        The class's report.
    people:
        Each student's row of ``roster.csv``, by column: columns named as on the learning platform
        are copied into the export.
    provisional:
        Whether to include scores that may still change because a manual mark is missing. A mark
        that is held is never included: it may be a zero that nobody has looked at.

    Raises
    ------
    ValueError
        If ``kind`` is neither.
    """
    check_kind(kind)
    most = max((student.max_score for student in report.students.values()), default=0.0)
    if kind == "canvas":
        columns = [*CANVAS, report.problem_set]
        # Canvas reads an assignment's points from a row before the students'.
        found = [{"Student": "    Points Possible", report.problem_set: f"{most:g}"}]
        own = "SIS Login ID"
    else:
        columns = [*MOODLE, report.problem_set, f"{report.problem_set} (feedback)"]
        found, own = [], "Username"
    for name, student in report.students.items():
        if student.held or not provisional and report.is_provisional(name):
            continue
        about = people.get(name, {})
        row = {column: as_cell(about.get(column, "")) for column in columns if column in about}
        row[own] = row.get(own) or as_cell(name)
        if kind == "canvas":
            row["Student"] = row.get("Student") or as_cell(name)
        else:
            row[columns[-1]] = as_cell(
                "; ".join(
                    f"{exercise}: {'–' if found.score is None else format(found.score, 'g')} of "
                    f"{found.max_score:g}"
                    for exercise, found in student.exercises.items()
                )
            )
        row[report.problem_set] = f"{student.score:g}"
        found.append(row)
    return columns, found


def write_export(
    kind: str,
    report: Report,
    people: dict[str, dict[str, str]],
    into: Path,
    provisional: bool = False,
) -> Path:
    """Write ``PS-canvas.csv`` or ``PS-moodle.csv`` to ``into``; returns its path.

    Raises
    ------
    ValueError
        As in :func:`rows`.
    """
    columns, found = rows(kind, report, people, provisional)
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, columns, restval="", lineterminator="\r\n")
    table.writeheader()
    table.writerows(found)
    path = into / f"{report.problem_set}-{kind}.csv"
    write_whole(path, text.getvalue())
    return path
