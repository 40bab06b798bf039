"""What the commands share: errors in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.markup import escape

from nbjudge.failure import of_the_machine


@contextmanager
def plain_errors() -> Iterator[None]:
    """Report errors that the caller can fix in one line, without a traceback; exit code 2."""
    try:
        yield
    except Exception as error:
        known = isinstance(error, ValueError | FileNotFoundError)
        known = known or type(error).__name__ in ("GradingFailed", "SandboxError")
        said = of_the_machine(error) or (error if known else "")
        if not said:
            raise
    else:
        return
    Console(stderr=True).print(f"[red]{escape(str(said))}[/red]", highlight=False)
    raise typer.Exit(2)
