"""Commands, run in this process and in others, and the tables that they write."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import typer
from typer.testing import CliRunner

from nbjudge.commands import register

#: The courses that lie beside these tests.
COURSES = Path(__file__).parent / "courses"


def run_command(*arguments: object, input: str | None = None) -> tuple[int, str]:
    """A command's exit code, and what it prints. An error that it does not explain is raised."""
    app = typer.Typer()
    register(app)
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    return result.exit_code, result.output


def run_in_one_line(*arguments: object, input: str | None = None) -> tuple[int, str]:
    """The same, with single spaces in place of all white space."""
    code, output = run_command(*arguments, input=input)
    return code, " ".join(output.split())


def run_outside(folder: Path, *command: object, **variables: str) -> subprocess.CompletedProcess:
    """Run a command of this environment in a folder, in a process for which no course is set."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TFCOURSE_", "NBJUDGE_"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        [str(part) for part in command],
        env=kept | {"PATH": path, "COLUMNS": "200"} | variables,
        cwd=folder, capture_output=True, text=True, timeout=600,
    )  # fmt: skip


def printed_outside(folder: Path, *command: object, **variables: str) -> str:
    """What such a command prints; it must end well."""
    done = run_outside(folder, *command, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def alone(folder: Path) -> dict[str, str]:
    """Variables for a process in which this course is not installed.

    It notes in ``folder/loaded`` which libraries it loads.
    """
    return {"PYTHONPATH": str(COURSES / "alone"), "LOADED": str(folder / "loaded")}


def table_in(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
