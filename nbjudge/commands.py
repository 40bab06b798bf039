"""The commands ``collect``, ``grade``, ``report``, ``likeness``, ``check``, ``release`` etc."""

from __future__ import annotations

import importlib
import shutil
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from nbjudge import sandbox
from nbjudge.terminal import in_course

#: Each command, in the order of the help page: the module that has it, and what the page says.
COMMANDS = {
    "collect": (
        "nbjudge.collect.command",
        "Collect a class's work from Canvas, Moodle, a folder or nbgrader's exchange.",
    ),
    "grade": ("nbjudge.run.command", "Grade a class on a problem set."),
    "mark": (
        "nbjudge.marking.command",
        "Mark written answers by hand, question by question, in your browser.",
    ),
    "report": (
        "nbjudge.report.command",
        "Report on all problem sets that were graded, or draw the leaderboard of one.",
    ),
    "likeness": (
        "nbjudge.likeness.command",
        "Show which answers of a class resemble each other more than chance.",
    ),
    "check": (
        "nbjudge.desk.command",
        "Check your own notebook with the visible tests, and get hints.",
    ),
    "progress": (
        "nbjudge.desk.own_folder",
        "Show how far you are in each problem set, according to your last checks.",
    ),
    "release": (
        "nbjudge.intake.command",
        "Generate the learners' problem sets in notebooks/assignments from the instructor's.",
    ),
    "receipts": (
        "nbjudge.collect.command",
        "Record in receipts.csv when the work in nbgrader's exchange was handed in.",
    ),
    "package": (
        "nbjudge.gradescope.command",
        "Make an autograder of a problem set, a zip to upload to Gradescope.",
    ),
    "lab": (
        "nbjudge.desk.own_folder",
        "Open JupyterLab in a folder of your own, with the chapters and the problem sets.",
    ),
    "backup": (
        "nbjudge.store.command",
        "Back up graded work, with gradebook and ledger, and verify the archive.",
    ),
    "restore": (
        "nbjudge.store.command",
        "Restore graded work from a backup, after verifying every file in it.",
    ),
    "upgrade": (
        "nbjudge.store.command",
        "Upgrade graded work that an earlier version wrote, after a backup of it.",
    ),
    "forget": (
        "nbjudge.store.command",
        "Delete learners' work, marks, feedback, receipts and every trace of them after a term.",
    ),
}

#: Options that are not lab's own are passed to JupyterLab.
SETTINGS = {"lab": {"allow_extra_args": True, "ignore_unknown_options": True}}


class Late(TyperCommand):
    """A command whose module is imported when it is asked for: the help page needs none."""

    def make_context(self, info_name: str | None, args: list[str], *given: Any, **more: Any) -> Any:
        """Load the command, and have it read its arguments."""
        name = str(self.name)
        app = typer.Typer(add_completion=False, rich_markup_mode=self.rich_markup_mode)
        app.command(name, context_settings=SETTINGS.get(name))(in_course(function(name)))
        return get_command(app).make_context(info_name, args, *given, **more)


def function(name: str) -> Any:
    """The function of a command."""
    return getattr(importlib.import_module(COMMANDS[name][0]), name)


def register(app: typer.Typer) -> None:
    """Add these commands to a program."""
    for name, (_, summary) in COMMANDS.items():
        app.command(name, cls=Late, help=summary)(lambda: None)


def parts() -> list[tuple[str, bool, str]]:
    """What grading needs on this machine, as rows of a table: name, whether it works, use."""
    shelter = sandbox.status()
    use = "a sandbox for learners' code: apt-get install bubblewrap (Linux only)"
    return [
        ("bubblewrap", shutil.which("bwrap") is not None, use),
        ("the sandbox", shelter.works, shelter.why),
    ]
