"""The command ``release``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from nbjudge.course import in_full, problem_set_names, root
from nbjudge.intake.release import make_release, stored_files
from nbjudge.terminal import plain_errors


def release(
    problem_sets: Annotated[
        list[str] | None, typer.Argument(help="The problem sets; by default all of them.")
    ] = None,
) -> None:
    """Generate the learners' problem sets in notebooks/assignments from the instructor's.

    Each file that was written is named: commit them all.
    """
    console = Console()
    with plain_errors():
        course = root()
        for name in map(in_full, problem_sets or problem_set_names(course)):
            before = stored_files(name, course)
            notebook = make_release(name, course)
            after = stored_files(name, course)
            changes = {path: "written" for path, now in after.items() if before.get(path) != now}
            changes |= dict.fromkeys(before.keys() - after.keys(), "removed")
            for path, what in (changes or {notebook: "was up to date"}).items():
                line = f"{path.relative_to(course)}: {what}"
                console.print(line, highlight=False, soft_wrap=True)
