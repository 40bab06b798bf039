"""The command ``report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nbjudge.report import leaderboard as boards
from nbjudge.report import show, term
from nbjudge.terminal import plain_errors


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
