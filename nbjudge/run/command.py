"""The command ``grade``: its options, and what it exports and shows."""

from __future__ import annotations

from dataclasses import dataclass
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
Gradebook = Annotated[
    Path | None,
    typer.Option(
        help="With --export: the table that the platform exported, to be filled in and changed in "
        "nothing else."
    ),
]
Column = Annotated[
    str,
    typer.Option(help="With --gradebook: the number of the assignment in Canvas's table."),
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
    gradebook: Gradebook = None,
    column: Column = "",
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
        wanted = _Wanted(export or [], gradebook, column, feedback_zip, provisional)
        wanted.check()
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
        written, remarks = _export(report, submitted, into, wanted, db)
    show.show_grades(report, console)
    show.show_files(report, into, written, console)
    show.show_remarks(report, remarks, console)


@dataclass
class _Wanted:
    """What to write for learning platforms."""

    platforms: list[str]
    gradebook: Path | None
    column: str
    feedback_zip: tuple[str, Path] | None
    provisional: bool

    def check(self) -> None:
        """Refuse what cannot be done before anything is graded."""
        from nbjudge.report.exports import check_kind

        for kind in (*self.platforms, *(self.feedback_zip or ())[:1]):
            check_kind(str(kind))
        if self.gradebook and len(self.platforms) != 1:
            raise ValueError("gradebook is given: name the platform it comes from with --export.")
        if self.gradebook and not self.gradebook.is_file():
            raise ValueError(f"gradebook is {str(self.gradebook)!r}, but there is no such file.")
        if self.column and not (self.gradebook and self.platforms == ["canvas"]):
            raise ValueError("column is only for --export canvas with --gradebook.")


def _limits(**given: float | None) -> Limits:
    """The limits, with the default of each that is ``None``."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return Limits(**chosen)


def _export(
    report: Report, submitted: Path, into: Path, wanted: _Wanted, db: str | None
) -> tuple[list[Path], list[str]]:
    """Write the files for learning platforms; returns their paths, and what to say about them."""
    from nbjudge.intake import roster
    from nbjudge.report import exports, filling, returning
    from nbjudge.store.folder import GradingFolder

    people, provisional = roster.people(submitted), wanted.provisional
    written, remarks = [], []
    for kind in wanted.platforms:
        if wanted.gradebook:
            filled = filling.fill(
                kind, wanted.gradebook, report, people, into, provisional, wanted.column
            )
            written.append(filled.path)
            remarks += filled.remarks
        else:
            written.append(exports.write_export(kind, report, people, into, provisional))
    absent: list[str] = []
    if wanted.feedback_zip:
        folder = GradingFolder(into, root(), report.problem_set, db)
        returned = returning.write_zip(*wanted.feedback_zip, report, people, folder, provisional)
        written.append(returned.path)
        absent = returned.absent
    if written:
        filled_in = wanted.gradebook is not None
        remarks += exports.remarks(wanted.platforms, report, people, provisional, filled_in)
    if absent:
        remarks.append(f"The download has no file from: {', '.join(absent)}.")
    return written, remarks
