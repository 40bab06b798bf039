"""What happens around a test cell in the learner's own notebook; if it passes, it says so."""

from __future__ import annotations

import re
from typing import Any

from nbjudge.inside.testing import recall

#: The first line of a test cell: its name and its points.
FIRST_LINE = re.compile(r"# (?P<name>[\w-]+--[\w-]+) · (?P<points>[\d.]+) points?$")

#: The line that replaces hidden tests in a release.
FURTHER = "# Further tests: "


def praise(source: str, value: object = None) -> str:
    """The message after a test cell that ended with this value; empty for other cells.

    A score below the cell's points is not a pass, and neither is a cell with only hidden tests.
    """
    told, rest = _first_line(source), source.strip().partition("\n")[2]
    runs = any(line.strip() and not line.lstrip().startswith("#") for line in rest.splitlines())
    if told is None or not runs:
        return ""
    points = float(told["points"])
    if isinstance(value, int | float) and not isinstance(value, bool) and value < points:
        return ""
    if "answered(" in source and "choices(" not in source:
        return "✓ Every statement has an answer. Whether each is right comes with the grade."
    if FURTHER in rest:
        return "✓ Passed. The hidden half of this test runs when your work is graded."
    return f"✓ Passed: {points:g} of {points:g} point{'s' * (points != 1)}."


def name_of_test(source: str) -> str:
    """The grade id in a test cell's first line; empty if this is no test cell."""
    told = _first_line(source)
    return told["name"] if told else ""


def _first_line(source: str) -> re.Match | None:
    return FIRST_LINE.match(source.strip().partition("\n")[0].strip())


def speak(shell: Any) -> None:
    """Make a notebook's shell print a message after each test cell that passes.

    Before each, the checks are told which test it is. After each, they are told how it ended,
    until another cell runs, which may change the answer.
    """

    def before(info: Any) -> None:
        recall.runs(name_of_test(info.raw_cell or ""))

    def after(result: Any) -> None:
        recall.ended(result.success, getattr(result.error_in_exec, "guess", None))
        ran = result.info.raw_cell if result.success and result.info else ""
        if said := praise(ran or "", result.result):
            print(said)

    shell.events.register("pre_run_cell", before)
    shell.events.register("post_run_cell", after)


def speak_in_a_notebook() -> None:
    """Call :func:`speak` if this is a notebook's kernel.

    It is not where work is graded: there, test cells run in another process.
    """
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell = get_ipython()
    if shell is not None and getattr(shell, "kernel", None) is not None:
        speak(shell)
