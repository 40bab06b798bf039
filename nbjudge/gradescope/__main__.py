"""``python -m nbjudge.gradescope ROOT PS VISIBILITY``, which ``run_autograder`` calls."""

from __future__ import annotations

from pathlib import Path

import typer

from nbjudge.course import root
from nbjudge.gradescope.grading import grade
from nbjudge.terminal import plain_errors


def main(folder: Path, problem_set: str, hidden: str) -> None:
    """Grade the submission in Gradescope's folder."""
    with plain_errors():
        grade(problem_set, root(), folder, hidden)


if __name__ == "__main__":
    typer.run(main)
