"""The judge's commands on their own, without a course's CLI: ``python -m nbjudge grade ...``."""

from __future__ import annotations

import typer

from nbjudge.commands import register
from nbjudge.inside.program import program

app = typer.Typer(
    name=program().command,
    help="Release, check and grade problem sets.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
register(app)

if __name__ == "__main__":
    app(prog_name="nbjudge")
