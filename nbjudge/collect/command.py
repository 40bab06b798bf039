"""The commands ``collect`` and ``receipts``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from nbjudge.collect import collecting, exchange
from nbjudge.collect.naming import PLATFORMS
from nbjudge.course import in_full, problem_set_names, root
from nbjudge.intake.sources import course_config, graded_files
from nbjudge.intake.stamps import write_receipts
from nbjudge.terminal import plain_errors, say


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
) -> None:
    """Collect a class's work from Canvas, Moodle, a folder or nbgrader's exchange.

    Writes STUDENT/PS/, roster.csv and receipts.csv for `grade`. Run again with a later download, it
    adds what is new. Work that has changed is replaced, and the earlier one is kept in `.earlier`.
    """
    with plain_errors():
        course = root()
        names = problem_set_names(course)
        problem_set = problem_set and in_full(problem_set, course)
        if kind == "exchange":
            course_id = course_config(course).CourseDirectory.course_id
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
    say(made.summary(submitted), made.to_look_at())


def receipts(
    problem_sets: Annotated[
        list[str] | None, typer.Argument(help="By default all that were handed in.")
    ] = None,
    *,
    submitted: Annotated[Path, typer.Option(help="The folder that `nbgrader collect` filled.")],
    exchange: Annotated[Path, typer.Option(help="nbgrader's Exchange.root, on the same machine.")],
) -> None:
    """Record in receipts.csv when the work in nbgrader's exchange was handed in.

    The times come from the file system; a learner cannot set them. All files that are graded count.
    """
    with plain_errors():
        course = root()
        course_id = course_config(course).CourseDirectory.course_id
        names = [*map(in_full, problem_sets or ())] or [
            name for name in problem_set_names(course) if any(submitted.glob(f"*/{name}"))
        ]
        sets = {name: graded_files(name, course) for name in names}
        made = write_receipts(submitted, exchange, course_id, sets)
    say([f"{made.path}: {made.written} receipts"], made.notes)
