"""What the command ``check`` does; :mod:`.command` has its options."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import typer
from rich.console import Console

from nbjudge.desk import check as checker
from nbjudge.desk import progress
from nbjudge.desk.run import CannotRun, Desk
from nbjudge.desk.show import show_checked, show_solution
from nbjudge.terminal import plain_errors


def check(
    notebook: Path,
    exercise: str | None,
    details: bool,
    full: bool,
    give_up: bool,
    sandbox: bool,
    cell_seconds: float | None,
) -> None:
    """Check a notebook and show the results."""
    for stream in (sys.stdout, sys.stderr):  # a terminal without Unicode must not raise
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    console = Console()
    with plain_errors():
        if give_up and not (full and exercise):
            raise ValueError("--give-up needs --full and --exercise NAME.")
    with plain_errors(), nullcontext() if sandbox else Desk() as desk:  # starts loading now
        try:
            with console.status("running your notebook"):
                checked = checker.check(
                    notebook,
                    exercise=exercise,
                    full=full,
                    give_up=give_up,
                    sandboxed=sandbox,
                    cell_seconds=cell_seconds,
                    desk=desk,
                )
        except CannotRun as error:
            raise ValueError(str(error)) from None
        progress.keep(checked, notebook)
    show_checked(checked, notebook, console, details=details or exercise is not None)
    if full and exercise:
        show_solution(checked, give_up, console)
    raise typer.Exit(0 if checked.all_passed else 1)
