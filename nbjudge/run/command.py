"""The command ``grade``: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nbjudge.course import in_full
from nbjudge.inside.limits import Limits
from nbjudge.run.interrupts import stops_in_one_line
from nbjudge.run.workers import warm_up
from nbjudge.sandbox.shelters import linux_only
from nbjudge.terminal import Database, plain_errors

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


@stops_in_one_line
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
        if why is None and scheduler is None and workers not in (0, 1):
            warm_up()  # while we load the rest
        from nbjudge.run import grading  # needs Linux

        problem_set = in_full(problem_set)
        if why is not None:
            grading.explain(problem_set, submitted, into, why, db)
            return
        wanted = grading.Wanted(export or [], gradebook, column, feedback_zip, provisional)
        wanted.check()
        graded = grading.grade(
            problem_set,
            submitted,
            into,
            wanted,
            limits=_limits(
                call_seconds=call_seconds,
                cell_seconds=cell_seconds,
                submission_seconds=submission_seconds,
                memory_mb=memory_mb,
            ),
            again=again or (),
            accept=accept or (),
            seed=seed,
            workers=workers,
            scheduler=scheduler,
            trust_network=trust_network,
            database=db,
            sandboxed=sandbox,
        )
    graded.show(into)


def _limits(**given: float | None) -> Limits:
    """The limits, with the default of each that is ``None``."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return Limits(**chosen)
