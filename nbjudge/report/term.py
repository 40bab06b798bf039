"""A term: all problem sets graded into one folder, as an index page and tables.

Each problem set's own page is its overview, which grading writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from nbjudge.files import write_whole
from nbjudge.intake import roster
from nbjudge.report import leaderboard
from nbjudge.report.exports import without_id
from nbjudge.report.items import ItemStatistics, items
from nbjudge.report.pages import OVERVIEWS, feedback_links, page
from nbjudge.store.results import Mistaken, Report, as_cell, read_reports

#: The folder of the index page and its tables, in a class's results.
FOLDER, INDEX = "report", "index.html"

#: A test whose discrimination is lower is named on the index page.
WEAK = 0.2

#: Maximum number of rows in the index page's tables of tests and mistakes.
MOST = 15

#: The trend's height, and its width for each problem set, in pixels.
HEIGHT, STEP = 24, 14


@dataclass(frozen=True)
class PointsInSet:
    """A learner's points in a problem set, and the links to their pages.

    ``state`` is that of :meth:`nbjudge.store.results.Report.state`.
    """

    score: float
    raw: float
    penalty: float
    most: float
    state: str
    links: dict[str, str]


@dataclass(frozen=True)
class TermRow:
    """A learner's row: results by problem set, without those in whose report they do not appear."""

    name: str
    listed: bool
    results: dict[str, PointsInSet]
    most: float

    @property
    def total(self) -> float:
        """Points so far in all problem sets; what is missing counts as 0."""
        return sum(result.score for result in self.results.values())

    @property
    def state(self) -> str:
        """``"held"`` or ``"provisional"`` if a result is, else nothing."""
        states = [result.state for result in self.results.values()]
        return next((state for state in ("held", "provisional") if state in states), "")


class Numbers(NamedTuple):
    """A problem set's numbers: its points, how many handed in, and their scores if not held."""

    points: float
    handed_in: int
    held: int
    provisional: int
    mean: float | None
    median: float | None
    #: Whether the tests measured what a leaderboard shows, and whether there is one.
    measured: bool
    leaderboard: bool


@dataclass(frozen=True)
class Term:
    """All problem sets graded into a folder, in the order in which they were graded first.

    Attributes
    ----------
    learners:
        Everyone in a report or on the roster, sorted by name.
    numbers, items, mistakes:
        What is known of each problem set, by name.
    missing:
        Who handed in nothing, by problem set; only those on the roster.
    unlisted, nameless:
        Learners without a line in the roster, and those on it without an id of the platform.
    """

    learners: list[TermRow]
    numbers: dict[str, Numbers]
    items: dict[str, list[ItemStatistics]]
    mistakes: dict[str, list[Mistaken]]
    missing: dict[str, list[str]]
    unlisted: list[str]
    nameless: list[str] = field(default_factory=list)

    @property
    def problem_sets(self) -> list[str]:
        """The names of the problem sets."""
        return list(self.numbers)


def term(into: Path, submitted: Path | None = None) -> Term:
    """Collect the results of all problem sets graded into a folder; runs nothing.

    Parameters
    ----------
    into:
        The folder with the results of grading.
    submitted:
        The folder with the class's ``roster.csv``. Without one, the learners are those that were
        graded.

    Raises
    ------
    ValueError
        If nothing was graded there, or the roster cannot be read.
    """
    reports = read_reports(into)
    if not reports:
        raise ValueError(f"into is {str(into)!r}, but nothing has been graded there.")
    if submitted and not submitted.is_dir():
        raise ValueError(f"submitted is {str(submitted)!r}, but there is no such folder.")
    people = roster.people(submitted) if submitted else {}
    names = sorted({*people, *(name for report in reports.values() for name in report.students)})
    unlisted = [name for name in names if _is_unlisted(name, people, reports)]
    most = {name: _points(report) for name, report in reports.items()}
    learners = [
        TermRow(
            name,
            name not in unlisted,
            {
                one: _result(report, name, into)
                for one, report in reports.items()
                if name in report.students
            },
            sum(most.values()),
        )
        for name in names
    ]
    return Term(
        learners,
        {name: _numbers(report, into) for name, report in reports.items()},
        {name: items(report) for name, report in reports.items()},
        {name: report.mistakes for name, report in reports.items()},
        {name: _missing(name, learners) for name in reports},
        unlisted,
        without_id(people),
    )


def _is_unlisted(
    name: str, people: Mapping[str, dict[str, str]], reports: Mapping[str, Report]
) -> bool:
    """Whether the roster has no line for a learner; without a roster, as the last report has it."""
    if people:
        return name not in people
    last = [report.students[name] for report in reports.values() if name in report.students][-1]
    return any(flag.endswith(roster.UNLISTED) for flag in last.flags)


def _missing(problem_set: str, learners: list[TermRow]) -> list[str]:
    return [
        one.name
        for one in learners
        if one.listed
        and (problem_set not in one.results or one.results[problem_set].state == "missing")
    ]


def _points(report: Report) -> float:
    return max((student.max_score for student in report.students.values()), default=0.0)


def _result(report: Report, name: str, into: Path) -> PointsInSet:
    result = report.students[name]
    return PointsInSet(
        result.score,
        result.raw_score,
        result.penalty,
        result.max_score,
        report.state(name),
        feedback_links(into, name, report.problem_set),
    )


def _numbers(report: Report, into: Path) -> Numbers:
    states = [report.state(name) for name in report.students]
    scores = [
        student.score
        for name, student in report.students.items()
        if report.state(name) not in ("held", "missing")
    ]
    tests = (test for student in report.students.values() for test in student.tests.values())
    board = into / leaderboard.FOLDER / f"{report.problem_set}.html"
    return Numbers(
        _points(report),
        len(states) - states.count("missing"),
        states.count("held"),
        states.count("provisional"),
        mean(scores) if scores else None,
        median(scores) if scores else None,
        any(test.measured for test in tests),
        board.is_file(),
    )


# -- the tables ------------------------------------------------------------------------------------


def tables(term: Term) -> dict[str, list[list[str]]]:
    """The tables by file name, each with its column names first.

    A new problem set adds columns at the end of ``learners.csv`` and rows at the end of the others.
    """
    each = ("", " raw", " penalty", " state")
    learners = [
        ["learner", "total", "of", "state", *(f"{n}{c}" for n in term.problem_sets for c in each)]
    ]
    for one in term.learners:
        row = [one.name, f"{one.total:g}", f"{one.most:g}", one.state]
        for name in term.problem_sets:
            got = one.results.get(name)
            points = (got.score, got.raw, got.penalty) if got else ()
            row += [*(f"{x:g}" for x in points), got.state] if got else ["", "", "", "missing"]
        learners.append(row)
    tests = [
        ["problem set", "test", "points", "learners", "failure rate", "mean", "discrimination"]
        + ["void"]
    ]
    for name, every in term.items.items():
        for item in every:
            shares = (item.failure_rate, item.mean, item.discrimination)
            row = [name, item.test, f"{item.points:g}", str(item.learners), *map(_share, shares)]
            tests.append([*row, "yes" if item.void else "no"])
    mistakes = [["problem set", "exercise", "known as", "learners", "description", "who"]]
    for name, made in term.mistakes.items():
        for exercise, known_as, meaning, who in made:
            row = [name, exercise, known_as, str(len(who)), meaning, "; ".join(who)]
            mistakes.append(row)
    missing = [["problem set", "learners", "who"]]
    missing += [[name, str(len(who)), "; ".join(who)] for name, who in term.missing.items()]
    people = [["learner", "what is missing"]]
    people += [[name, f"a line in {roster.ROSTER}"] for name in term.unlisted]
    people += [[name, f"an id in {roster.ROSTER}"] for name in term.nameless]
    return {
        "learners.csv": learners,
        "tests.csv": tests,
        "mistakes.csv": mistakes,
        "missing.csv": missing,
        "roster.csv": people,
    }


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def trend(one: TermRow, problem_sets: list[str]) -> list[tuple[float, float]]:
    """A learner's share of the points in each problem set, as positions in a small drawing.

    What is missing counts as 0; a mark that is held is left out.
    """
    points = []
    for place, name in enumerate(problem_sets):
        result = one.results.get(name)
        if result and result.most and result.state != "held":
            share = min(1.0, result.score / result.most)
            points.append((STEP * (place + 0.5), round(2 + (HEIGHT - 4) * (1 - share), 1)))
    return points


def write_term(term: Term, into: Path) -> Path:
    """Write ``report/index.html`` and the tables beside it; returns the page's path."""
    folder, every = into / FOLDER, tables(term)
    for name, rows in every.items():
        cells = [[as_cell(cell) for cell in row] for row in rows]
        roster.write_table(
            folder / name, cells[0], [dict(zip(cells[0], row, strict=True)) for row in cells[1:]]
        )
    path = folder / INDEX
    write_whole(path, page("term.html.j2", **content(term), tables=list(every)))
    return path


def content(term: Term) -> dict[str, Any]:
    """What the index page shows."""
    weak = [
        (name, item)
        for name, every in term.items.items()
        for item in every
        if item.discrimination is not None and item.discrimination < WEAK
    ]
    made = [(name, one) for name, every in term.mistakes.items() for one in every]
    return {
        "term": term,
        "overviews": OVERVIEWS,
        "leaderboards": leaderboard.FOLDER,
        "weak": sorted(weak, key=lambda row: row[1].discrimination or 0.0)[:MOST],
        "least": WEAK,
        "mistakes": sorted(made, key=lambda row: -len(row[1].students))[:MOST],
        "trends": {one.name: trend(one, term.problem_sets) for one in term.learners},
        "width": STEP * len(term.problem_sets),
        "height": HEIGHT,
    }
