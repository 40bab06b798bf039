"""The command `tfcourse`. Each command lives beside what it does; this file only collects them."""

from __future__ import annotations

import os
import signal
import sys

#: Whether this is the program, and not a test that imports it.
_RUNS = os.path.basename(sys.argv[0]) == "tfcourse"
if _RUNS:  # while the rest is loaded, Ctrl-C ends it and no traceback is shown
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import typer  # noqa: E402
from typer.core import TyperGroup  # noqa: E402


class Commands(TyperGroup):
    """The commands. If one needs a package that is not installed, it says which extra has it."""

    def invoke(self, ctx):
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            from tfcourse.extras import advice

            said = advice(error)
            if said is None:
                raise
            typer.secho(said, err=True, fg="red")
            raise typer.Exit(2) from None


app = typer.Typer(
    name="tfcourse",
    cls=Commands,
    help="Attention to Transformers: train models, grade, check and build the course.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from tfcourse import __version__

        typer.echo(f"tfcourse {__version__}")
        raise typer.Exit


@app.callback()
def _course(
    version: bool = typer.Option(
        False, "--version", help="Show the version and exit.", callback=_version, is_eager=True
    ),
) -> None:
    pass


def _collect() -> None:
    from tfcourse.authoring import commands as authoring
    from tfcourse.data import commands as data
    from tfcourse.grading import commands as grading
    from tfcourse.runs import commands as runs

    runs.register(app)
    data.register(app)
    grading.register(app)
    authoring.register(app)


_collect()
if _RUNS:
    signal.signal(signal.SIGINT, signal.default_int_handler)
