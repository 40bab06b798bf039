"""The options of the command ``check``; :mod:`.checking` has what it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbjudge.desk.named import find
from nbjudge.terminal import defined_in, plain_errors


def _found(given: Path) -> Path:
    """The notebook that is meant; a wrong name is told before anything is loaded."""
    with plain_errors():
        return find(given)


@defined_in("nbjudge.desk.checking")
def check(
    notebook: Annotated[
        Path,
        typer.Argument(
            callback=_found, help="Your notebook of a problem set, or the folder that holds it."
        ),
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
