"""The command ``package``: a problem set as an autograder for another platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nbjudge.course import root
from nbjudge.gradescope import AFTER_PUBLISHED
from nbjudge.gradescope.making import make_zip
from nbjudge.terminal import plain_errors


def package(
    platform: Annotated[str, typer.Argument(help="`gradescope`.")],
    problem_set: Annotated[
        str, typer.Argument(help="For example `ps05-self-attention`, or `ps05` for short.")
    ],
    into: Annotated[
        Path | None, typer.Option(help="The zip to write; by default `PS-gradescope.zip` here.")
    ] = None,
    hidden: Annotated[
        str,
        typer.Option(
            help="When students see hidden tests: `after_published`, `after_due_date`, `visible`, "
            "or `hidden` for never."
        ),
    ] = AFTER_PUBLISHED,
) -> None:
    """Make an autograder of a problem set, a zip to upload to Gradescope.

    The zip holds the solutions and the hidden tests. There may be no sandbox on Gradescope, and
    then nothing keeps a submission's code from reading them.
    """
    with plain_errors():
        if platform != "gradescope":
            raise ValueError(f"platform is {platform!r}, but it must be gradescope.")
        made = make_zip(problem_set, root(), hidden, into)
    typer.echo(f"{made}: {made.stat().st_size / 2**20:.1f} MiB")
    typer.echo("It holds the solutions: upload it, and keep it from learners.")
