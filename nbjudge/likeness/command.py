"""The command ``likeness``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nbjudge.course import in_full
from nbjudge.report import likeness as pages
from nbjudge.report.show import show_likeness
from nbjudge.terminal import plain_errors


def likeness(
    problem_set: Annotated[
        str, typer.Argument(help="For example `ps05-self-attention`, or `ps05` for short.")
    ],
    into: Annotated[Path, typer.Option(help="The folder that `grade` wrote its results to.")],
    earlier: Annotated[
        list[Path] | None,
        typer.Option(help="An earlier class: its submissions, its graded work or fingerprints."),
    ] = None,
) -> None:
    """Show which answers of a class resemble each other more than chance.

    Writes likeness/PS.html and PS.csv, and PS.fingerprints.json to compare later classes with. It
    runs no notebook and changes no mark.
    """
    with plain_errors():
        result = pages.likeness(in_full(problem_set), into, earlier or ())
        shown, table = pages.write_likeness(result, into)
    console = Console()
    show_likeness(result, console)
    console.print(f"Likeness: {shown}\nTable:    {table}", highlight=False, soft_wrap=True)
