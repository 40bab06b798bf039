"""Export the scores in the formats that Canvas and Moodle import."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from pathlib import Path

from nbjudge.files import write_whole
from nbjudge.intake.roster import ROSTER
from nbjudge.store.results import Report, as_cell

#: Names of Canvas's columns; the third or fourth identifies a student.
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")

#: Columns that Moodle's import recognises; it asks which column holds the score.
MOODLE = ("Email address", "Username", "ID number")

PLATFORMS = ("canvas", "moodle")

#: The columns by which each platform knows a learner.
IDENTIFY = {"canvas": CANVAS[1:4], "moodle": MOODLE}


def without_id(people: dict[str, dict[str, str]], *platforms: str) -> list[str]:
    """Those for whom the roster has no id of these platforms, although it has others'.

    By default of any platform. If the roster has no ids at all, the folders' names are the ids.
    """
    columns = [column for platform in platforms or PLATFORMS for column in IDENTIFY[platform]]
    known = {name: any(about.get(column) for column in columns) for name, about in people.items()}
    return [name for name, has in known.items() if not has] if any(known.values()) else []


def not_listed(report: Report, people: dict[str, dict[str, str]]) -> list[str]:
    """The learners that the roster no longer lists; none if there is no roster.

    They have perhaps left the course, and no export contains them.
    """
    return [name for name in report.students if people and name not in people]


def exported(
    report: Report, people: dict[str, dict[str, str]], provisional: bool = False
) -> list[str]:
    """The learners whose marks an export contains; see :func:`rows` for the parameters."""
    gone = not_listed(report, people)
    return [
        name
        for name, student in report.students.items()
        if not (name in gone or student.held or not provisional and report.is_provisional(name))
    ]


def check_kind(platform: str) -> None:
    """Refuse an export for an unknown platform.

    Raises
    ------
    ValueError
        If ``platform`` is not one of :data:`PLATFORMS`.
    """
    if platform not in PLATFORMS:
        raise ValueError(f"export is {platform!r}, but it must be one of: {', '.join(PLATFORMS)}.")


def rows(
    platform: str, report: Report, people: dict[str, dict[str, str]], provisional: bool = False
) -> tuple[list[str], list[dict]]:
    """The columns and the rows of an export.

    Parameters
    ----------
    platform:
        ``"canvas"`` or ``"moodle"``.
    report:
        The class's report.
    people:
        Each student's row of ``roster.csv``, by column: columns named as on the learning platform
        are copied into the export.
    provisional:
        Whether to include scores that may still change because a manual mark is missing. A mark
        that is held is never included: it may be a zero that nobody has looked at. Nor is one of a
        learner whom the roster does not list.

    Raises
    ------
    ValueError
        If ``platform`` is neither.
    """
    check_kind(platform)
    most = max((student.max_score for student in report.students.values()), default=0.0)
    if platform == "canvas":
        columns = [*CANVAS, report.problem_set]
        # Canvas reads an assignment's points from a row before the students'.
        lines = [{"Student": "    Points Possible", report.problem_set: f"{most:g}"}]
        own = "SIS Login ID"
    else:
        columns = [*MOODLE, report.problem_set, f"{report.problem_set} (feedback)"]
        lines, own = [], "Username"
    for name in exported(report, people, provisional):
        student = report.students[name]
        about = people.get(name, {})
        row = {column: as_cell(about.get(column, "")) for column in columns if column in about}
        row[own] = row.get(own) or as_cell(name)
        if platform == "canvas":
            row["Student"] = row.get("Student") or as_cell(name)
        else:
            row[columns[-1]] = as_cell(
                "; ".join(
                    f"{exercise}: {'–' if result.score is None else format(result.score, 'g')} of "
                    f"{result.max_score:g}"
                    for exercise, result in student.exercises.items()
                )
            )
        row[report.problem_set] = f"{student.score:g}"
        lines.append(row)
    return columns, lines


def remarks(
    platforms: Collection[str],
    report: Report,
    people: dict[str, dict[str, str]],
    provisional: bool,
    filled: bool = False,
) -> list[str]:
    """What to say about exports: whom they leave out, and whom the platform may not recognise.

    ``platforms`` names the exports, ``provisional`` is as in :func:`rows`; ``filled`` says that the
    platform's own table was filled in, which tells whom it does not know.
    """
    sentences, gone = [], not_listed(report, people) if platforms else []
    if gone:
        sentences.append(f"Not exported, since {ROSTER} does not list them: {', '.join(gone)}.")
    if held := [name for name in report.held if name not in gone]:
        sentences.append(f"Not exported, since their marks are held: {', '.join(held)}.")
    waiting = [name for name in report.provisional if name not in {*report.held, *gone}]
    if waiting:
        who = f"{len(waiting)} whose marks are not complete: {', '.join(waiting)}"
        sentences.append(
            f"The export holds {who}."
            if provisional
            else f"Left out: {who}. Mark them and run this again, or add --provisional."
        )
    there = exported(report, people, provisional)
    for platform in () if filled else platforms:
        if unknown := [name for name in without_id(people, platform) if name in there]:
            sentences.append(
                f"{ROSTER} has no id of {platform.capitalize()} for: {', '.join(unknown)}. Their "
                "folder's name is exported as their login."
            )
    return sentences


def write_export(
    platform: str,
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
    columns, lines = rows(platform, report, people, provisional)
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, columns, restval="", lineterminator="\r\n")
    table.writeheader()
    table.writerows(lines)
    path = into / f"{report.problem_set}-{platform}.csv"
    write_whole(path, text.getvalue())
    return path
