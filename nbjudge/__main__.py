"""The judge's commands on their own, without a course's CLI: ``nbjudge grade ...``."""

from __future__ import annotations

import typer

from nbjudge.commands import register
from nbjudge.inside.program import run_as

NAME = "nbjudge"

app = typer.Typer(
    name=NAME,
    help="Release, check and grade problem sets.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
register(app)


def main() -> None:
    """Run the command."""
    run_as(NAME)
    app(prog_name=NAME)


if __name__ == "__main__":
    main()
