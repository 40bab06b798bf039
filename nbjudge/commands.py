"""The commands ``collect``, ``grade``, ``report``, ``likeness``, ``check``, ``release`` etc."""

from __future__ import annotations

import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from nbjudge import operations
from nbjudge.gradescope.command import package
from nbjudge.intake.cells import listed
from nbjudge.likeness.command import likeness
from nbjudge.marking.command import mark
from nbjudge.report.outputs import plain
from nbjudge.run.command import grade
from nbjudge.run.interrupts import stops_in_one_line
from nbjudge.terminal import in_course, plain_errors
from nbjudge.wording import counted


def report(
    problem_set: Annotated[
        str | None, typer.Argument(help="For its leaderboard, such as `ps14-translator`.")
    ] = None,
    *,
    into: Annotated[Path, typer.Option(help="The folder that `grade` wrote its results to.")],
    submitted: Annotated[
        Path | None,
        typer.Option(help="The folder with roster.csv, which says who is in the class."),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="The measure to rank by; by default the first one.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="The measure on the plot's x axis; by default the next.")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Show ids; leaderboard/ids.csv maps them to names.")
    ] = False,
) -> None:
    """Report on all problem sets that were graded, or draw the leaderboard of one.

    Writes report/index.html, with a link to each problem set's page, and its tables as CSV. With
    a problem set it writes leaderboard/PS.html, a table with a plot, and the plot alone as PS.svg.
    Runs no notebook.
    """
    console = Console()
    with plain_errors():
        from nbjudge.report import leaderboard as boards
        from nbjudge.report import show, term

        if problem_set is None:
            if by or against or anonymous:
                raise ValueError("--by, --against and --anonymous need a problem set.")
            usual = Path("submitted")
            result = term.term(into, submitted or (usual if usual.is_dir() else None))
            name, path = "Report", term.write_term(result, into)
            show.show_term(result, console)
        else:
            board = boards.leaderboard(
                problem_set, into, by=by, against=against, anonymous=anonymous
            )
            name, path = "Leaderboard", boards.write_leaderboard(board, into)
            show.show_leaderboard(board, console)
    console.print(f"{name}: {path}", highlight=False, soft_wrap=True)


def check(
    notebook: Annotated[
        Path, typer.Argument(help="Your notebook of a problem set, or the folder that holds it.")
    ],
    exercise: Annotated[
        str | None, typer.Option("--exercise", "-e", help="Check only this exercise.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Show each message in full, as --exercise does.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Also run the hidden tests, if the course has them.")
    ] = False,
    give_up: Annotated[
        bool, typer.Option("--give-up", help="Show the solution of --exercise anyway.")
    ] = False,
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Run it in the sandbox, as grading does (Linux).")
    ] = False,
    cell_seconds: Annotated[float | None, typer.Option(help="Time limit for one cell.")] = None,
) -> None:
    """Check your own notebook with the visible tests, and get hints.

    A line for each exercise says what is wrong first; `--details` and `--exercise` say everything.
    With `--full --exercise NAME` the exercise's solution is shown once all its tests pass. The exit
    code is 0 if all tests pass and 1 otherwise.
    """
    from contextlib import nullcontext

    from nbjudge.desk.named import find
    from nbjudge.desk.run import CannotRun, Desk

    for stream in (sys.stdout, sys.stderr):  # a terminal without Unicode must not raise
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    console = Console()
    with plain_errors():
        path = find(notebook)
        if give_up and not (full and exercise):
            raise ValueError("--give-up needs --full and --exercise NAME.")
    with plain_errors(), nullcontext() if sandbox else Desk() as desk:  # starts loading now
        from nbjudge.desk import check as checker

        try:
            with console.status("running your notebook"):
                checked = checker.check(
                    path,
                    exercise=exercise,
                    full=full,
                    give_up=give_up,
                    sandboxed=sandbox,
                    cell_seconds=cell_seconds,
                    desk=desk,
                )
        except CannotRun as error:
            raise ValueError(str(error)) from None
        from nbjudge.desk import progress as kept
        from nbjudge.desk.show import show_checked, show_solution

        kept.keep(checked, path)
    show_checked(checked, path, console, details=details or exercise is not None)
    if full and exercise:
        show_solution(checked, give_up, console)
    raise typer.Exit(0 if checked.all_passed else 1)


def progress(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Your folder; by default this one, or `work` in the course's folder."),
    ] = None,
) -> None:
    """Show how far you are in each problem set, according to your last checks."""
    with plain_errors():
        from nbjudge.desk.progress import folder_for
        from nbjudge.desk.progress import progress as progress_in
        from nbjudge.desk.show import show_progress

        show_progress(progress_in(folder_for(folder)), Console())


def lab(
    context: typer.Context,
    into: Annotated[
        Path | None, typer.Option(help="Your folder; by default `work` in the course's folder.")
    ] = None,
) -> None:
    """Open JupyterLab in a folder of your own, with the chapters and the problem sets.

    The folder is created if it is missing; your work in it is never overwritten. Other options,
    such as `--no-browser` and `--port 8890`, are passed to JupyterLab.
    """
    with plain_errors():
        from nbjudge.course import WORK, root
        from nbjudge.desk import lab as desk

        course = root()
        work = (into or course / WORK).expanduser().resolve()
        try:
            furnished = desk.furnish(work, course)
        except OSError as error:
            raise ValueError(f"{work} cannot be written: {error.strerror}") from None
        lines = [f"Your folder: {work}"]
        if furnished.new:
            lines.append(f"Copied there: {counted(len(furnished.new), 'notebook')}.")
        if furnished.renewed:
            lines.append(f"Updated, since you had not changed them: {len(furnished.renewed)}.")
        if furnished.kept:
            lines.append(
                f"Kept with your changes, though the course has a newer version: "
                f"{listed(furnished.kept)}. To get the new one, rename yours and start again."
            )
        typer.echo("\n".join(lines))
        sys.stdout.flush()
        code = desk.open_lab(work, course, context.args)
    raise typer.Exit(code)


def release(
    problem_sets: Annotated[
        list[str] | None, typer.Argument(help="The problem sets; by default all of them.")
    ] = None,
) -> None:
    """Generate the learners' problem sets in notebooks/assignments from the instructor's.

    Each file that was written is named: commit them all.
    """
    console = Console()
    with plain_errors():
        from nbjudge.course import in_full, problem_set_names, root
        from nbjudge.intake.release import make_release, stored_files

        course = root()
        for name in map(in_full, problem_sets or problem_set_names(course)):
            before = stored_files(name, course)
            notebook = make_release(name, course)
            after = stored_files(name, course)
            changes = {path: "written" for path, now in after.items() if before.get(path) != now}
            changes |= dict.fromkeys(before.keys() - after.keys(), "removed")
            for path, what in (changes or {notebook: "was up to date"}).items():
                line = f"{path.relative_to(course)}: {what}"
                console.print(line, highlight=False, soft_wrap=True)


def receipts(
    problem_sets: Annotated[
        list[str] | None, typer.Argument(help="By default all that were handed in.")
    ] = None,
    *,
    submitted: Annotated[Path, typer.Option(help="The folder that `nbgrader collect` filled.")],
    exchange: Annotated[Path, typer.Option(help="nbgrader's Exchange.root, on the same machine.")],
    course_id: Annotated[
        str | None, typer.Option(help="The course's id; by default that in nbgrader_config.py.")
    ] = None,
) -> None:
    """Record in receipts.csv when the work in nbgrader's exchange was handed in.

    The times come from the file system; a learner cannot set them. All files that are graded count.
    """
    console = Console()
    with plain_errors():
        from nbjudge.course import in_full, problem_set_names, root
        from nbjudge.intake.release import course_config, graded_files
        from nbjudge.intake.stamps import write_receipts

        course = root()
        course_id = course_id or course_config(course).CourseDirectory.course_id
        names = [*map(in_full, problem_sets or ())] or [
            name for name in problem_set_names(course) if any(submitted.glob(f"*/{name}"))
        ]
        sets = {name: graded_files(name, course) for name in names}
        made = write_receipts(submitted, exchange, course_id, sets)
    console.print(f"{made.path}: {made.written} receipts", highlight=False, soft_wrap=True)
    for note in made.notes:
        console.print(f"[yellow]{escape(plain(note))}[/yellow]", highlight=False, soft_wrap=True)


def collect(
    kind: Annotated[str, typer.Argument(help="`canvas`, `moodle`, `folder` or `exchange`.")],
    source: Annotated[
        Path,
        typer.Argument(help="The zip of all submissions, the folder, or nbgrader's Exchange.root."),
    ],
    problem_set: Annotated[
        str | None, typer.Option(help="The problem set, if the files are not named after it.")
    ] = None,
    gradebook: Annotated[
        Path | None,
        typer.Option(
            help="Canvas's gradebook or Moodle's grading worksheet as CSV: who is in the class."
        ),
    ] = None,
    submitted: Annotated[Path, typer.Option(help="The folder to put the work in.")] = Path(
        "submitted"
    ),
    course_id: Annotated[
        str | None, typer.Option(help="The course's id; by default that in nbgrader_config.py.")
    ] = None,
) -> None:
    """Collect a class's work from Canvas, Moodle, a folder or nbgrader's exchange.

    Writes STUDENT/PS/, roster.csv and receipts.csv for `grade`. Run again with a later download, it
    adds what is new. Work that has changed is replaced, and the earlier one is kept in `.earlier`.
    """
    with plain_errors():
        from nbjudge.collect import collecting, exchange
        from nbjudge.collect.naming import PLATFORMS
        from nbjudge.course import in_full, problem_set_names, root
        from nbjudge.intake.release import course_config, graded_files

        course = root()
        names = problem_set_names(course)
        problem_set = problem_set and in_full(problem_set, course)
        if kind == "exchange":
            course_id = course_id or course_config(course).CourseDirectory.course_id
            made = exchange.collect_exchange(
                source,
                submitted,
                course_id,
                names,
                partial(graded_files, course=course),
                problem_set=problem_set,
            )
        elif kind in (*PLATFORMS, "folder"):
            made = collecting.collect(
                kind, source, submitted, names, problem_set=problem_set, gradebook=gradebook
            )
        else:
            raise ValueError(f"kind is {kind!r}, but must be canvas, moodle, folder or exchange.")
    console = Console()
    summary = escape(plain("\n".join(made.summary(submitted))))
    console.print(summary, highlight=False, soft_wrap=True)
    for note in made.to_look_at():
        console.print(f"[yellow]{escape(plain(note))}[/yellow]", highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add these commands to a program."""
    for command in (collect, stops_in_one_line(grade), mark, report, likeness):
        app.command()(in_course(command))
    for command in (check, progress, release, receipts, package):
        app.command()(in_course(command))
    # Unknown options are passed to JupyterLab.
    further = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(context_settings=further)(in_course(lab))
    operations.register(app)


def parts() -> list[tuple[str, bool, str]]:
    """What grading needs on this machine, as rows of a table: name, whether it works, use."""
    from nbjudge import sandbox

    shelter = sandbox.status()
    use = "a sandbox for learners' code: apt-get install bubblewrap (Linux only)"
    return [
        ("bubblewrap", shutil.which("bwrap") is not None, use),
        ("the sandbox", shelter.works, shelter.why),
    ]
