"""The command ``mark``: the marking page for one problem set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbjudge.marking import opening
from nbjudge.run.workers import warm_up
from nbjudge.terminal import Database, plain_errors


def mark(
    problem_set: Annotated[
        str, typer.Argument(help="For example `ps05-self-attention`, or `ps05` for short.")
    ],
    into: Annotated[Path, typer.Option(help="The folder that `grade` wrote its results to.")],
    marker: Annotated[
        str, typer.Option(help="Your name, if several people mark with this account.")
    ] = "",
    port: Annotated[int, typer.Option(help="The port; by default a free one.")] = 0,
    db: Database = None,
) -> None:
    """Mark written answers by hand, question by question, in your browser.

    Shows each answer beside the mark scheme. Marks go into nbgrader's gradebook; run `grade`
    afterwards to put them into grades.csv and onto the feedback pages. Ctrl-C stops it.
    """
    with plain_errors():
        warm_up()  # the process that reads answers, while the gradebook is opened
        opening.serve(problem_set, into, marker, port, db)
