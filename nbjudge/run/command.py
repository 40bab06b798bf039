"""The command ``grade``: its options, and what it exports and shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from nbjudge.course import root
from nbjudge.inside.limits import Limits
from nbjudge.sandbox.shelters import linux_only
from nbjudge.terminal import Database, plain_errors

if TYPE_CHECKING:
    from nbjudge.store.results import Report

Submitted = Annotated[
    Path, typer.Option(help="The folder that holds STUDENT/PS/PS.ipynb (and roster.csv).")
]
Workers = Annotated[
    int | None, typer.Option(help="Number of local processes; by default one per core.")
]
Scheduler = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler whose workers judge.")
]
TrustNetwork = Annotated[
    bool, typer.Option("--trust-network", help="Accept a scheduler elsewhere without TLS.")
]
Again = Annotated[
    list[str] | None, typer.Option(help="Grade this student again. Manual marks are kept.")
]
Accept = Annotated[
    list[str] | None,
    typer.Option(help="Make this student's held mark final: you have looked at the work."),
]
Seed = Annotated[
    int | None,
    typer.Option(help="Seed for hidden test inputs; with --again, replays a grading."),
]
Why = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="STUDENT EXERCISE", help="Explain an existing grade; grade nothing."),
]
Export = Annotated[
    list[str] | None, typer.Option(help="Also write the scores for `canvas` or `moodle`.")
]
FeedbackZip = Annotated[
    tuple[str, Path] | None,
    typer.Option(
        metavar="PLATFORM DOWNLOAD",
        help="Write the feedback as a zip for `canvas` or `moodle`, named to match the zip of "
        "submissions that you downloaded there.",
    ),
]
Provisional = Annotated[bool, typer.Option(help="Also export work that still needs a manual mark.")]
Sandbox = Annotated[
    bool, typer.Option(help="Without it, learners' code runs with your permissions.")
]
CallSeconds = Annotated[
    float | None, typer.Option(help="Time limit for one call to a learner's function.")
]
CellSeconds = Annotated[float | None, typer.Option(help="Time limit for one cell.")]
SubmissionSeconds = Annotated[
    float | None, typer.Option(help="Time limit for all cells of a submission.")
]
MemoryMB = Annotated[int | None, typer.Option(help="Memory limit for a submission, in MiB.")]


def grade(
    problem_set: Annotated[
        str, typer.Argument(help="For example `ps05-self-attention`, or `ps05` for short.")
    ],
    submitted: Submitted,
    into: Annotated[Path, typer.Option(help="The folder for the results.")],
    workers: Workers = None,
    scheduler: Scheduler = None,
    trust_network: TrustNetwork = False,
    db: Database = None,
    again: Again = None,
    accept: Accept = None,
    seed: Seed = None,
    why: Why = None,
    export: Export = None,
    feedback_zip: FeedbackZip = None,
    provisional: Provisional = False,
    sandbox: Sandbox = True,
    call_seconds: CallSeconds = None,
    cell_seconds: CellSeconds = None,
    submission_seconds: SubmissionSeconds = None,
    memory_mb: MemoryMB = None,
) -> None:
    """Grade a class on a problem set.

    Writes grades.csv, report.json, overview/ (for you), feedback/ (a page for each student),
    autograded/ and gradebook.db. Run again, it grades only what is new or has changed, and
    continues where a killed run stopped.
    """
    with plain_errors():
        linux_only()
        from nbjudge.report import show
        from nbjudge.run.workers import warm_up

    console = Console()
    if why is None and scheduler is None and workers not in (0, 1):
        warm_up()  # while we load the rest
    with plain_errors():
        from nbjudge.course import in_full
        from nbjudge.run import engine

        problem_set = in_full(problem_set)
        if why is not None:
            from nbjudge.report.why import why as explain

            show.show_why(explain(problem_set, submitted, into, *why, database=db), console)
            return
        _check_platforms(export, feedback_zip)
        limits = _limits(
            call_seconds=call_seconds,
            cell_seconds=cell_seconds,
            submission_seconds=submission_seconds,
            memory_mb=memory_mb,
        )
        with show.progress_bar(console) as progress:
            report = engine.grade(
                problem_set,
                submitted,
                into,
                limits=limits,
                again=again or (),
                accept=accept or (),
                seed=seed,
                workers=workers,
                scheduler=scheduler,
                trust_network=trust_network,
                database=db,
                sandboxed=sandbox,
                progress=progress,
            )
        written, remarks = _export(report, submitted, into, export, feedback_zip, provisional, db)
    show.show_grades(report, console)
    show.show_files(report, into, written, console)
    show.show_remarks(report, remarks, console)


def _check_platforms(export: list[str] | None, feedback_zip: tuple[str, Path] | None) -> None:
    """Refuse unknown platforms before anything is graded."""
    from nbjudge.report.exports import check_kind

    for kind in (*(export or ()), *([feedback_zip[0]] if feedback_zip else ())):
        check_kind(kind)


def _limits(**given: float | None) -> Limits:
    """The limits, with the default of each that is ``None``."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return Limits(**chosen)


def _export(
    report: Report,
    submitted: Path,
    into: Path,
    kinds: list[str] | None,
    feedback_zip: tuple[str, Path] | None,
    provisional: bool,
    db: str | None,
) -> tuple[list[Path], list[str]]:
    """Write the files for learning platforms; returns their paths, and what to say about them."""
    from nbjudge.intake import roster
    from nbjudge.report import exports, returning
    from nbjudge.store.folder import GradingFolder

    people = roster.people(submitted)
    written = [
        exports.write_export(kind, report, people, into, provisional) for kind in kinds or ()
    ]
    absent: list[str] = []
    if feedback_zip:
        folder = GradingFolder(into, root(), report.problem_set, db)
        returned = returning.write_zip(*feedback_zip, report, people, folder, provisional)
        written.append(returned.path)
        absent = returned.absent
    said = exports.remarks(kinds or (), report, people, provisional) if written else []
    if absent:
        said.append(f"The download has no file from: {', '.join(absent)}.")
    return written, said
