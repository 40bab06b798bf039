"""What the commands share: options that several have, and errors in one line."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from nbjudge.course import is_root
from nbjudge.failure import of_the_machine
from nbjudge.inside.program import go_to, program
from nbjudge.wording import plain


def _database(given: str | None) -> str | None:
    return given or os.environ.get(program().variable("DB"))


def _course(given: Path | None) -> None:
    if given is None:
        return
    with plain_errors():
        if not is_root(given):
            raise ValueError(f"course is {str(given)!r}, but there is no course in that folder.")
        go_to(given)


#: Where the gradebook is, by an option or, as it may contain a password, an environment variable.
Database = Annotated[
    str | None,
    typer.Option(
        callback=_database,
        help="The gradebook's URL, if it is not a file; or set the command's name + _DB, such as "
        "NBJUDGE_DB.",
    ),
]

_Course = Annotated[
    Path | None,
    typer.Option(
        callback=_course,
        is_eager=True,
        help="The course's folder; by default the current one, or one above it.",
    ),
]


def in_course(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option ``--course`` to a command, which then works on that course."""

    @functools.wraps(command)
    def chosen(*args: Any, course: Path | None = None, **named: Any) -> Any:
        return command(*args, **named)

    option = inspect.Parameter(
        "course", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_Course
    )
    signature = inspect.signature(command, eval_str=True)
    given = [*signature.parameters.values(), option]
    vars(chosen)["__signature__"] = signature.replace(parameters=given)
    chosen.__annotations__ = {parameter.name: parameter.annotation for parameter in given}
    return chosen


def defined_in(module: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a function hold a command's options alone: the module has one of its name that runs.

    The module is imported when the command runs, so that `--help` does not wait for it.
    """

    def with_options(options: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(options)
        def run(**given: Any) -> None:
            getattr(importlib.import_module(module), options.__name__)(**given)

        return run

    return with_options


@contextmanager
def plain_errors() -> Iterator[None]:
    """Report errors that the caller can fix in one line, without a traceback; exit code 2."""
    try:
        yield
    except Exception as error:
        known = isinstance(error, ValueError | FileNotFoundError)
        known = known or type(error).__name__ in ("GradingFailed", "SandboxError")
        message = of_the_machine(error) or (error if known else "")
        if not message:
            raise
    else:
        return
    Console(stderr=True).print(f"[red]{escape(str(message))}[/red]", highlight=False)
    raise typer.Exit(2)


def say(lines: Iterable[str], notes: Iterable[str] = ()) -> None:
    """Print lines, and in another colour what to look at."""
    console = Console()
    console.print(escape(plain("\n".join(lines))), highlight=False, soft_wrap=True)
    for note in notes:
        console.print(f"[yellow]{escape(plain(note))}[/yellow]", highlight=False, soft_wrap=True)
