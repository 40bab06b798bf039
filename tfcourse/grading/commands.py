"""The commands ``tfcourse grade``, ``check`` and ``release``."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tfcourse.grading.cells import SEPARATOR, listed
from tfcourse.grading.results import WAITS


@contextmanager
def plain_errors():
    """What the caller can mend is said in a line, without a traceback; exit code 2."""
    try:
        yield
    except (ValueError, FileNotFoundError) as error:
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False)
        raise typer.Exit(2) from None
    except RuntimeError as error:
        if type(error).__name__ != "GradingFailed":
            raise
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False)
        raise typer.Exit(2) from None


def number(value: float | None) -> str:
    """Points in a table; a dash for what is not known."""
    return "–" if value is None else f"{round(value, 2):g}"


def show_grades(report, console: Console) -> None:
    """The class as a table, a row for each student, and below it what was noticed.

    The pieces' columns are numbered, so that the table fits a terminal of 80 columns.
    """
    table = Table(title=report.problem_set, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("student", overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    for place, _ in enumerate(report.pieces, 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    waits, noticed, most = False, [], {}
    for name, student in report.students.items():
        pieces = student.pieces
        most |= {piece: found.max_score for piece, found in pieces.items()}
        scores = [pieces[piece].score for piece in report.pieces]
        waits = waits or None in scores
        score = f"{number(student.score)}/{number(student.max_score)}"
        table.add_row(escape(name), score, *map(number, scores))
        # That something waits for a mark is a dash in the table already.
        if flags := [flag for flag in student.flags if not flag.endswith(WAITS)]:
            noticed.append(f"  {escape(name)}: {escape('; '.join(flags))}")
    console.print(table)
    legend = [
        f"{place} {escape(piece)} ({number(most[piece])})"
        for place, piece in enumerate(report.pieces, 1)
    ]
    console.print(Columns(legend + [f"{number(None)} {WAITS}"] * waits, padding=(0, 3)))
    if noticed:
        console.print("\nNoticed:\n" + "\n".join(noticed), highlight=False)


@contextmanager
def progress_bar(console: Console):
    """A bar that :func:`tfcourse.grading.engine.grade` can report its progress to."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("making ready", total=None)

        def report(done: int, total: int, student: str) -> None:
            what = f"grading {escape(student)}" if student else "done"
            bar.update(task, completed=done, total=total, description=what)

        yield report


def grade(
    problem_set: Annotated[str, typer.Argument(help="Such as `ps05-self-attention`.")],
    submitted: Annotated[
        Path, typer.Option(help="The folder that holds STUDENT/PS/PS.ipynb (and roster.csv).")
    ],
    into: Annotated[Path, typer.Option(help="The folder for the results.")],
    cell_seconds: Annotated[float, typer.Option(help="How long one cell may take.")] = 30,
    submission_seconds: Annotated[
        float, typer.Option(help="How long all cells of a submission may take.")
    ] = 180,
    again: Annotated[
        list[str] | None, typer.Option(help="Grade this student again. Marks by hand stay.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Draw the hidden tests' inputs from this: replays a grading.")
    ] = None,
) -> None:
    """Grade a class on a problem set.

    Leaves grades.csv, report.json, feedback/ (a page for each student), autograded/ and
    gradebook.db. Run again, it grades only what is new or has changed.
    """
    console = Console()
    with plain_errors():
        from tfcourse.grading import engine

        with progress_bar(console) as progress:
            report = engine.grade(
                problem_set,
                submitted,
                into,
                cell_seconds=cell_seconds,
                submission_seconds=submission_seconds,
                again=again or (),
                seed=seed,
                progress=progress,
            )
    show_grades(report, console)
    console.print(
        f"\n{len(report.executed)} of {len(report.students)} notebooks run in "
        f"{report.seconds:.0f} s, unsandboxed: the learners' code ran with your rights.\n"
        f"Grades: {into / 'grades.csv'}\nPages:  {into / 'feedback'}\nBy hand: cd {into} && "
        "jupyter lab, then nbgrader's Formgrader",
        highlight=False,
        soft_wrap=True,
    )


def check(
    notebook: Annotated[Path, typer.Argument(help="Your notebook of a problem set.")],
    cell_seconds: Annotated[float, typer.Option(help="How long one cell may take.")] = 30,
) -> None:
    """Judge your own notebook by the visible tests, with hints.

    The exit code is 0 when all of them pass and 1 when not.
    """
    console = Console()
    with plain_errors():
        from tfcourse.grading import check as checker

        with console.status("running your notebook"):
            found = checker.check(notebook, cell_seconds=cell_seconds)
    colours = {checker.PASSED: "green", checker.PARTLY: "yellow", checker.FAILED: "red"}
    table = Table(title=notebook.name, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in ("piece", "test", "verdict", "points"):
        table.add_column(column, no_wrap=True, justify="right" if column == "points" else "left")
    table.add_column("hint", overflow="fold", min_width=20)
    before = ("", "")
    for test in found.tests:
        piece, _, name = test.name.partition(SEPARATOR)
        same = (piece, test.hint) == before
        table.add_row(
            "" if piece == before[0] else escape(piece),
            escape(name),
            f"[{colours.get(test.verdict, 'dim')}]{test.verdict}[/]",
            f"{number(test.score)}/{number(test.points)}",
            "as above" if same and test.hint else escape(test.hint),
        )
        before = (piece, test.hint)
    console.print(table)
    for flag in found.flags:
        console.print(f"- {escape(flag)}", highlight=False, soft_wrap=True)
    console.print(_what_remains(found), highlight=False, soft_wrap=True)
    raise typer.Exit(0 if found.all_passed else 1)


def _what_remains(found) -> str:
    lines = []
    if found.hidden:
        lines.append(
            f"{found.hidden} hidden test{'s' * (found.hidden > 1)} worth "
            f"{number(found.hidden_points)} points will be run when your work is graded."
        )
    if found.partly_hidden:
        have = "has" if len(found.partly_hidden) == 1 else "have"
        lines.append(
            f"{len(found.partly_hidden)} of these tests {have} a hidden half that runs when "
            f"work is graded: {listed(found.partly_hidden)}."
        )
    else:
        lines.append("Tests shown here may have a hidden half that runs only when work is graded.")
    if not found.from_course:
        lines.append("No course was found here: the tests in the notebook itself were run.")
    return "\n".join(lines)


def release(
    problem_sets: Annotated[
        list[str] | None, typer.Argument(help="Which; all of them unless given.")
    ] = None,
) -> None:
    """Make the learners' problem sets in notebooks/assignments from the instructor's."""
    console = Console()
    with plain_errors():
        from tfcourse.course import problem_set_names, root
        from tfcourse.grading.release import is_current, make_release

        course = root()
        for name in problem_sets or problem_set_names(course):
            current = is_current(name, course)
            path = make_release(name, course).relative_to(course)
            what = "was up to date" if current else "written"
            console.print(f"{path}: {what}", highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add these commands to ``tfcourse``."""
    for command in (grade, check, release):
        app.command()(command)
