"""The command `tfcourse`. Each command is defined beside its code; this file only collects them."""

from __future__ import annotations

import os
import signal
import sys

#: Whether this is the program itself: not a test that imports it, nor one of its own worker
#: processes, which import it too and have been told to ignore Ctrl-C.
_RUNS = (
    os.path.basename(sys.argv[0]) == "tfcourse"
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
)
if _RUNS:  # before and after a command, Ctrl-C exits without a traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from importlib.metadata import entry_points  # noqa: E402
from types import ModuleType  # noqa: E402
from typing import Any  # noqa: E402

import typer  # noqa: E402
from typer.core import TyperGroup  # noqa: E402


class Commands(TyperGroup):
    """The commands. If one needs a package that is not installed, it names the extra to install."""

    def invoke(self, ctx: Any) -> Any:
        """Run the requested command."""
        if _RUNS:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            from tfcourse.extras import advice

            said = advice(error)
            if said is None:
                raise
            typer.secho(said, err=True, fg="red")
            raise typer.Exit(2) from None
        finally:
            if _RUNS:
                signal.signal(signal.SIGINT, signal.SIG_DFL)


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


def plugins() -> list[ModuleType]:
    """The modules that add commands, found by the entry points ``tfcourse.commands``.

    Each has a function ``register(app)``, and ``parts()`` if `tfcourse doctor` should check more.
    """
    return [point.load() for point in entry_points(group="tfcourse.commands")]


@app.command()
def doctor() -> None:
    """Show what is installed, and which parts of the course can run here."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from tfcourse.extras import examine

    table = Table("", "", "what it is for, or what to do", title="This machine")
    for name, present, note in examine(plugins()):
        table.add_row("yes" if present else "no", escape(name), escape(note))
    Console().print(table)


for _module in plugins():
    _module.register(app)
