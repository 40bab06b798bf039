"""The judge's commands on their own, without a course's CLI: ``nbjudge grade ...``."""

from __future__ import annotations

import importlib.metadata
import re

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
    try:
        app(prog_name=NAME)
    except ModuleNotFoundError as error:
        message = missing(error)
        if message is None:
            raise
        typer.secho(message, err=True, fg="red")
        raise SystemExit(2) from None


def missing(error: ModuleNotFoundError) -> str | None:
    """A sentence that says which extra to install; ``None`` if the error is about something else.

    It names no command: nbjudge is on no package index, so its name is not what to install.
    """
    needed = (error.name or "").partition(".")[0].lower()
    asked: dict[str, str] = {}
    for line in importlib.metadata.requires(NAME) or []:
        name, extra = re.match(r"[\w.-]+", line), re.search(r"extra == .([\w-]+)", line)
        if name and extra:
            asked.setdefault(name[0].lower().replace("-", "_"), extra[1])
    packages = {"zmq": "pyzmq", "yaml": "pyyaml", "a11y_pygments": "accessible_pygments"}
    wanted = asked.get(packages.get(needed, needed))
    if wanted is None:
        return None
    return (
        f"{error.name} is not installed, and this needs it: install nbjudge again from where you "
        f"have it, with its extra `{wanted}`."
    )


if __name__ == "__main__":
    main()
