"""The judge's commands as commands of ``tfcourse``."""

from __future__ import annotations

from pathlib import Path

import typer

from nbjudge import commands
from nbjudge.commands import parts
from nbjudge.inside.program import folder_of_settings, go_to

__all__ = ["parts", "register"]


def register(app: typer.Typer) -> None:
    """Add the commands. Outside any course they work on this one, as it is installed."""
    if folder_of_settings() is None:
        go_to(Path(__file__).parent)
    commands.register(app)
