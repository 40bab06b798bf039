"""A class's leaderboard: what a problem set's tests measured, as a table and a plot."""

from __future__ import annotations

import csv
import math
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbjudge.course import whole_name
from nbjudge.files import write_whole
from nbjudge.report.pages import page
from nbjudge.store.results import StudentResult, read_reports

#: The folder in a class's results, and the file there that maps students to ids.
FOLDER, IDS = "leaderboard", "ids.csv"

#: The plot's size and its margins in pixels: left, right, top, bottom.
WIDTH, HEIGHT, ROOM = 640, 360, (56, 24, 20, 52)

#: An axis is logarithmic if its largest number is more than this many times its smallest.
EVEN = 20


@dataclass(frozen=True)
class Row:
    """A learner's row: place, the name to show, points, and the measured numbers by name."""

    place: int
    name: str
    points: float
    measured: dict[str, float]


@dataclass(frozen=True)
class Board:
    """The leaderboard of a problem set.

    ``ranked`` names the measure that ranks it; ``against`` the measure on the plot's x axis, empty
    if nothing else was measured; ``without`` counts the learners without a measurement.
    """

    problem_set: str
    ranked: str
    against: str
    rows: list[Row]
    points: float
    without: int

    @property
    def names(self) -> list[str]:
        """The names of the measures, the one that ranks the board first."""
        every = dict.fromkeys(name for row in self.rows for name in row.measured)
        return list(dict.fromkeys([self.ranked, *filter(None, [self.against]), *every]))


def leaderboard(
    problem_set: str,
    into: Path,
    *,
    by: str | None = None,
    against: str | None = None,
    anonymous: bool = False,
) -> Board:
    """Build a leaderboard from the measurements of grading a class.

    Parameters
    ----------
    problem_set:
        Its name.
    into:
        The folder with the results of grading.
    by:
        The measure to rank by, largest first; by default the problem set's first.
    against:
        The measure on the plot's x axis, which also breaks ties: the smaller ranks first, and if
        it is equal too, both share a place. By default the next measure.
    anonymous:
        Whether to show ids instead of names. A learner keeps the same id; ``leaderboard/ids.csv``
        maps students to ids.

    Raises
    ------
    ValueError
        If the problem set was not graded there, if its tests measured nothing, or if ``by`` or
        ``against`` is not one of their measures.
    """
    every = read_reports(into)
    problem_set = whole_name(problem_set, list(every))
    if problem_set not in every:
        graded = ", ".join(sorted(every)) or "none"
        raise ValueError(f"{problem_set!r} has not been graded in {into}; graded there: {graded}.")
    students = every[problem_set].students
    measures = {student: _measured(about) for student, about in students.items()}
    names = list(dict.fromkeys(name for numbers in measures.values() for name in numbers))
    if not names:
        raise ValueError(
            f"The tests of {problem_set} measured nothing that a leaderboard could show: a test "
            "cell records a number with measured(name, number)."
        )
    for option, name in (("by", by), ("against", against)):
        if name is not None and name not in names:
            raise ValueError(f"{option} is {name!r}, but it must be one of: {', '.join(names)}.")
    by = by or names[0]
    against = against or next((name for name in names if name != by), "")
    shown = _ids(into, list(students)) if anonymous else {name: name for name in students}
    merits = {
        student: (-numbers[by], numbers.get(against, math.inf))
        for student, numbers in measures.items()
        if by in numbers
    }
    best = sorted(merits.values())
    rows = [  # learners equal in both share a place
        Row(best.index(merit) + 1, shown[student], students[student].score, measures[student])
        for student, merit in sorted(merits.items(), key=lambda item: (item[1], shown[item[0]]))
    ]
    points = max((about.max_score for about in students.values()), default=0.0)
    return Board(problem_set, by, against, rows, points, len(students) - len(rows))


def write_leaderboard(board: Board, into: Path) -> Path:
    """Write ``leaderboard/PS.html`` and the plot ``PS.svg``; returns the page's path."""
    folder, drawn = into / FOLDER, drawing(board)
    svg = page("leaderboard.svg.j2", board=board, **drawn)
    write_whole(folder / f"{board.problem_set}.svg", svg)
    path = folder / f"{board.problem_set}.html"
    write_whole(path, page("leaderboard.html.j2", board=board, **drawn))
    return path


def drawing(board: Board) -> dict[str, Any]:
    """The plot's geometry: ``dots``, the ``best`` so far along the x axis, ticks and frame."""
    drawn = [row for row in board.rows if board.against in row.measured]
    left, right, top, bottom = ROOM
    x_at, x_ticks = _axis([row.measured[board.against] for row in drawn], left, WIDTH - right)
    y_at, y_ticks = _axis([row.measured[board.ranked] for row in drawn], HEIGHT - bottom, top)
    dots = [
        (x_at(row.measured[board.against]), y_at(row.measured[board.ranked]), row) for row in drawn
    ]
    steps: list[tuple[float, float]] = []
    highest = -math.inf
    for x, y, row in sorted(dots, key=lambda dot: (dot[0], dot[1])):
        if row.measured[board.ranked] > highest:
            steps += [(x, steps[-1][1])] if steps else []
            steps.append((x, y))
            highest = row.measured[board.ranked]
    return {
        "dots": dots,
        "best": steps,
        "x_ticks": x_ticks,
        "y_ticks": y_ticks,
        "width": WIDTH,
        "height": HEIGHT,
        "frame": {"left": left, "right": WIDTH - right, "top": top, "bottom": HEIGHT - bottom},
    }


def _measured(about: StudentResult) -> dict[str, float]:
    measures: dict[str, float] = {}
    for test in about.tests.values():
        measures |= test.measured
    return measures


def _axis(numbers: list[float], begin: float, end: float) -> tuple[Any, list[tuple[float, str]]]:
    """A function from numbers to positions, and the ticks as (position, label)."""
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    powers = low > 0 and high / low > EVEN
    scale = math.log10 if powers else float
    span = (scale(high) - scale(low)) or 1.0
    low_end, high_end = scale(low) - 0.06 * span, scale(high) + 0.06 * span

    def at(number: float) -> float:
        share = (scale(number) - low_end) / (high_end - low_end)
        return round(begin + share * (end - begin), 1)

    if powers:
        exponents = range(math.floor(low_end), math.ceil(high_end) + 1)
        values = [m * 10.0**n for n in exponents for m in (1, 2, 5)]
    else:
        rough = (high_end - low_end) / 4
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough)
        values = [
            step * n for n in range(math.ceil(low_end / step), math.ceil(high_end / step) + 1)
        ]
    ticks = [v for v in values if low_end <= scale(v) <= high_end] if values else []
    return at, [(at(value), f"{round(value, 6):,g}") for value in ticks]


def _ids(into: Path, students: list[str]) -> dict[str, str]:
    """An id for each student; earlier ids are kept."""
    path, ids = into / FOLDER / IDS, {}
    if path.is_file():
        with path.open(newline="", encoding="utf-8") as file:
            ids = {row["student"]: row["id"] for row in csv.DictReader(file)}
    for student in students:
        while student not in ids:
            one = f"{secrets.randbelow(900_000) + 100_000}"
            if one not in ids.values():
                ids[student] = one
    lines = ["student,id", *(f"{_quoted(name)},{one}" for name, one in ids.items())]
    write_whole(path, "\n".join(lines) + "\n")
    return {student: ids[student] for student in students}


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
