"""The commands ``tfcourse grade``, ``check`` and ``release``."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tfcourse.grading.cells import SEPARATOR, listed
from tfcourse.grading.failure import of_the_machine
from tfcourse.grading.interrupts import stops_in_one_line
from tfcourse.grading.outputs import plain
from tfcourse.grading.show import number, progress_bar, show_grades, show_why
from tfcourse.grading.workers import loading, warm_up


@contextmanager
def plain_errors():
    """What the caller can mend is said in a line, without a traceback; exit code 2."""
    try:
        yield
    except (ValueError, FileNotFoundError) as error:
        said = error
    except Exception as error:
        known = type(error).__name__ in ("GradingFailed", "SandboxError")
        said = error if known else of_the_machine(error)
        if not said:
            raise
    else:
        return
    Console(stderr=True).print(f"[red]{escape(str(said))}[/red]", highlight=False)
    raise typer.Exit(2)


def grade(
    problem_set: Annotated[str, typer.Argument(help="Such as `ps05-self-attention`.")],
    submitted: Annotated[
        Path,
        typer.Option(help="The folder that holds STUDENT/PS/PS.ipynb (and roster.csv)."),
    ],
    into: Annotated[Path, typer.Option(help="The folder for the results.")],
    workers: Annotated[
        int | None, typer.Option(help="Processes here; as many as cores unless given.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask scheduler's address: its workers judge.")
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(envvar="TFCOURSE_DB", help="The gradebook's URL, if it is no file."),
    ] = None,
    again: Annotated[
        list[str] | None, typer.Option(help="Grade this student again. Marks by hand stay.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Draw the hidden tests' inputs from this; with --again, replays one."),
    ] = None,
    why: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="STUDENT PIECE", help="Explain a grade that stands; grade nothing."),
    ] = None,
    export: Annotated[
        list[str] | None, typer.Option(help="Write the scores for `canvas` or `moodle` too.")
    ] = None,
    sandbox: Annotated[
        bool, typer.Option(help="Without one, learners' code runs with your rights.")
    ] = True,
    call_seconds: Annotated[
        float | None, typer.Option(help="How long one call of a learner's function may take.")
    ] = None,
    cell_seconds: Annotated[float | None, typer.Option(help="How long one cell may take.")] = None,
    submission_seconds: Annotated[
        float | None, typer.Option(help="How long all cells of a submission may take.")
    ] = None,
    memory_mb: Annotated[
        int | None, typer.Option(help="How much memory a submission may use, in MiB.")
    ] = None,
) -> None:
    """Grade a class on a problem set.

    Leaves grades.csv, report.json, overview/ (for you), feedback/ (a page for each student),
    autograded/ and gradebook.db. Run again, it grades only what is new or has changed; killed, it
    goes on where it was.
    """
    console = Console()
    if why is None and scheduler is None and workers not in (0, 1):
        warm_up()  # while we load the rest
    with plain_errors():
        with loading():
            from tfcourse.grading import engine, exports, roster
            from tfcourse.grading.judge import Limits

        if why is not None:
            from tfcourse.grading.why import why as explain

            show_why(explain(problem_set, submitted, into, *why, database=db), console)
            return
        for kind in export or ():
            exports.check_kind(kind)
        given = {
            "call_seconds": call_seconds,
            "cell_seconds": cell_seconds,
            "submission_seconds": submission_seconds,
            "memory_mb": memory_mb,
        }
        limits = Limits(**{name: value for name, value in given.items() if value is not None})
        with progress_bar(console) as progress:
            report = engine.grade(
                problem_set,
                submitted,
                into,
                limits=limits,
                again=again or (),
                seed=seed,
                workers=workers,
                scheduler=scheduler,
                database=db,
                sandboxed=sandbox,
                progress=progress,
            )
        people = roster.people(submitted)
        written = [exports.write_export(kind, report, people, into) for kind in export or ()]
    show_grades(report, console)
    lines = [
        f"\n{len(report.executed)} of {len(report.students)} notebooks run in "
        f"{report.seconds:.0f} s.",
        f"Grades:   {into / 'grades.csv'}",
        f"Overview: {into / 'overview' / f'{report.problem_set}.html'}",
        f"Pages:    {into / 'feedback'}",
        *(f"Export:   {path}" for path in written),
        f"By hand:  cd {into} && jupyter lab, then nbgrader's Formgrader",
    ]
    console.print("\n".join(lines), highlight=False, soft_wrap=True)
    if report.unfinished:
        console.print(
            f"[yellow]{len(report.unfinished)} could not be judged, the same command tries again: "
            f"{escape(listed(report.unfinished))}[/yellow]",
            highlight=False,
            soft_wrap=True,
        )
    for warning in report.warnings:
        console.print(f"[yellow]{escape(warning)}[/yellow]", highlight=False, soft_wrap=True)


def check(
    notebook: Annotated[Path, typer.Argument(help="Your notebook of a problem set.")],
    cell_seconds: Annotated[float | None, typer.Option(help="How long one cell may take.")] = None,
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
            "as above" if same and test.hint else escape(plain(test.hint)),
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
    if not found.sandboxed:
        lines.append("It ran without a sandbox, as in Jupyter: some limits hold only when graded.")
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
    for command in (stops_in_one_line(grade), check, release):
        app.command()(command)
