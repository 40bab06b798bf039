"""The commands ``progress`` and ``lab``: a learner's own folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from nbjudge.course import WORK, root
from nbjudge.desk import lab as desk
from nbjudge.desk.progress import folder_for
from nbjudge.desk.progress import progress as progress_in
from nbjudge.desk.show import show_progress
from nbjudge.intake.cells import listed
from nbjudge.terminal import plain_errors
from nbjudge.wording import counted


def progress(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Your folder; by default this one, or `work` in the course's folder."),
    ] = None,
) -> None:
    """Show how far you are in each problem set, according to your last checks."""
    with plain_errors():
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
