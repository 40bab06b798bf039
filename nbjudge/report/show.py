"""The commands' terminal output: the class, the progress, and explanations of grades."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from nbjudge.inside.program import program
from nbjudge.intake.cells import listed
from nbjudge.intake.roster import ROSTER
from nbjudge.report.pages import OVERVIEWS, can_be_coloured
from nbjudge.store.results import WAITS, Report
from nbjudge.wording import measured, number, plain

if TYPE_CHECKING:
    from nbjudge.report.leaderboard import Board
    from nbjudge.report.likeness import Likeness
    from nbjudge.report.term import Term
    from nbjudge.report.why import Explained

#: Maximum number of pairs of learners in the table of likeness.
MOST_ALIKE = 10


def show_grades(report: Report, console: Console) -> None:
    """Print the class as a table with a row for each student, and the flags below it.

    The exercises' columns are numbered so that the table fits 80 columns.
    """
    table = Table(title=report.problem_set, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("student", overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    for place, _ in enumerate(report.exercises, 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    waits = False
    noticed: list[str] = []
    most: dict[str, float] = {}
    for name, student in report.students.items():
        exercises = student.exercises
        most |= {exercise: result.max_score for exercise, result in exercises.items()}
        scores = [exercises[exercise].score for exercise in report.exercises]
        waits = waits or None in scores
        score = f"{number(student.score)}/{number(student.max_score)}"
        table.add_row(escape(name), score, *map(number, scores))
        # The table already shows a dash for what awaits marking.
        flags = [f for f in student.flags if not f.endswith(WAITS) and f not in student.held]
        if flags:
            noticed.append(f"  {escape(name)}: {escape(plain('; '.join(flags)))}")
    console.print(table)
    legend = [
        f"{place} {escape(exercise)} ({number(most[exercise])})"
        for place, exercise in enumerate(report.exercises, 1)
    ]
    console.print(Columns(legend + [f"{number(None)} {WAITS}"] * waits, padding=(0, 3)))
    if held := {name: report.students[name].held for name in report.held}:
        lines = [f"  {escape(n)}: {escape(plain('; '.join(why)))}" for n, why in held.items()]
        console.print(
            "\nHeld, until you have looked (then grade with --accept STUDENT):\n"
            + "\n".join(lines),
            highlight=False,
        )
    if noticed:
        console.print("\nNoticed:\n" + "\n".join(noticed), highlight=False)


def show_files(report: Report, into: Path, written: Collection[Path], console: Console) -> None:
    """Print how much was run, and where the results are; ``written`` are the exports."""
    lines = [
        f"\n{len(report.executed)} of {len(report.students)} notebooks run in "
        f"{report.seconds:.0f} s.",
        f"Grades:   {into / 'grades.csv'}",
        f"Overview: {into / OVERVIEWS / f'{report.problem_set}.html'}",
        f"Pages:    {into / 'feedback'}",
        *(f"Export:   {path}" for path in written),
        f"By hand:  {program().command} mark {report.problem_set} --into {into}",
    ]
    console.print("\n".join(lines), highlight=False, soft_wrap=True)


def show_remarks(report: Report, on_exports: Collection[str], console: Console) -> None:
    """Print what was left out of exports, who could not be judged, and the report's warnings."""
    lines = list(on_exports)
    if report.unfinished:
        lines.append(
            f"{len(report.unfinished)} could not be judged; run the same command to try again: "
            f"{listed(report.unfinished)}"
        )
    for text in (*lines, *report.warnings):
        console.print(f"[yellow]{escape(plain(text))}[/yellow]", highlight=False, soft_wrap=True)


def show_leaderboard(board: Board, console: Console) -> None:
    """Print a class's leaderboard, as :func:`nbjudge.report.leaderboard.leaderboard` returns it."""
    table = Table(title=board.problem_set, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("place", justify="right", no_wrap=True)
    table.add_column("learner", overflow="fold")
    for name in (*board.names, f"of {number(board.points)} points"):
        table.add_column(escape(name), justify="right")
    for row in board.rows:
        measures = [measured(row.measured[n]) if n in row.measured else "–" for n in board.names]
        table.add_row(str(row.place), escape(row.name), *measures, number(row.points))
    console.print(table)


def show_likeness(likeness: Likeness, console: Console) -> None:
    """Print the learners who resemble each other most, from :mod:`nbjudge.report.likeness`."""
    if not (rows := likeness.totals[:MOST_ALIKE]):
        console.print("No two learners have anything rare in common.")
        return
    table = Table(title=likeness.problem_set, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("learners", overflow="fold")
    table.add_column("weight", justify="right")
    table.add_column("exercises", overflow="fold")
    for one, other, weight, names in rows:
        learners = escape(plain(f"{one} and {other}"))
        table.add_row(learners, f"{weight:.0f}", escape(", ".join(names)))
    console.print(table)
    console.print("A reason to look, not a verdict. No mark has changed.")


def show_term(term: Term, console: Console) -> None:
    """Print a summary of a term, as :func:`nbjudge.report.term.term` returns it."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("problem set", overflow="fold")
    for name in ("mean", "handed in", "missing", "held", "provisional"):
        table.add_column(name, justify="right")
    for name, about in term.numbers.items():
        counts = (about.handed_in, len(term.missing[name]), about.held, about.provisional)
        mean = f"{number(about.mean)}/{number(about.points)}"
        table.add_row(escape(name), mean, *map(str, counts))
    console.print(table)
    for what, names in (("line", term.unlisted), ("id", term.nameless)):
        if names:
            line = f"{ROSTER} has no {what} for: {escape(plain(', '.join(names)))}."
            console.print(line, highlight=False, soft_wrap=True)


class _Rate(ProgressColumn):
    """Students per minute."""

    def render(self, task: Task) -> Text:
        return Text(f"{60 * task.speed:.0f}/min" if task.speed else "", style="progress.data.speed")


@contextmanager
def progress_bar(console: Console) -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar with rate and time left, for :func:`nbjudge.run.engine.grade` to report to."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, speed_estimate_period=60) as bar:
        task = bar.add_task("preparing", total=None)

        def report(done: int, total: int, student: str) -> None:
            bar.update(task, completed=done, total=total, description=escape(student) or "grading")

        yield report


def _code(source: str) -> Syntax | Text:
    if not can_be_coloured(source):
        return Text(source)
    return Syntax(source, "python", background_color="default", word_wrap=True)


def show_why(explained: Explained, console: Console) -> None:
    """Print the explanation of a grade, as :func:`nbjudge.report.why.why` returns it."""

    def say(text: str, **style: Any) -> None:
        console.print(text, highlight=False, soft_wrap=True, **style)

    scores = [test.mark.score for test in explained.tests if test.mark.score is not None]
    total = number(sum(scores)) if len(scores) == len(explained.tests) else "–"
    most = number(sum(test.points for test in explained.tests))
    whose = f"{escape(explained.student)}, {escape(explained.exercise)}"
    say(f"[bold]{whose}: {total} of {most} points[/bold]")
    if explained.received:
        say(f"handed in: {explained.received}")
    for flag in explained.flags:
        say(f"noticed: {escape(plain(flag))}")
    for test in explained.tests:
        points = f"{number(test.mark.score)} of {number(test.points)}"
        say(f"\n[bold]{escape(test.name)}: {points}[/bold]")
        if test.mark.manual is not None:
            say(f"marked by hand: {number(test.mark.manual)}; machine: {number(test.mark.auto)}")
        if test.mark.extra:
            say(f"extra credit: {number(test.mark.extra)}")
        if test.message:
            say(escape(plain(test.message)))
        for note in test.seen:
            say(f"seen: {escape(plain(note))}")
        if test.source:
            console.print(_code(test.source))
            say(f"[dim]took {test.seconds:.2f} s[/dim]")
    say("\n[bold]What was handed in[/bold]")
    console.print(_code(plain(explained.answer)))
    if explained.seed is None:
        return
    say(
        f"\nHidden tests drew their inputs from seed {explained.seed} and the test's name; "
        f"it ran in: {escape(explained.sandbox)}. To repeat this grading:\n"
        f"  {escape(explained.replay)}"
    )
