"""What happens around a test cell in the learner's own notebook; if it passes, it says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nbjudge.inside.causes import exercise_of
from nbjudge.inside.first_line import first_line, name_of_test
from nbjudge.inside.testing import recall

#: The line that replaces hidden tests in a release.
FURTHER = "# Further tests: "


def praise(source: str, value: object = None) -> str:
    """The message after a test cell that ended with this value; empty for other cells.

    A score below the cell's points is not a pass, and neither is a cell with only hidden tests.
    """
    named, rest = first_line(source), source.strip().partition("\n")[2]
    if named is None or not _runs(source):
        return ""
    _, points = named
    if _score(value, points) < points:
        return ""
    if _only_looks(source):
        return "✓ Every statement has an answer. Whether each is right comes with the grade."
    if FURTHER in rest:
        return "✓ Passed. The hidden half of this test runs when your work is graded."
    return f"✓ Passed: {points:g} of {points:g} point{'s' * (points != 1)}."


class PointsSoFar:
    """The points of the tests that have run in this kernel, each as it last ended."""

    def __init__(self) -> None:
        #: Test → what it gave, and its points.
        self.ran: dict[str, tuple[float, float]] = {}

    def ended(self, source: str, passed: bool, value: object = None) -> None:
        """A cell has run; any but a test that can be judged here is passed over."""
        named = first_line(source)
        if named is None or not _runs(source) or _only_looks(source):
            return
        name, points = named
        self.ran[name] = _score(value, points) if passed else 0.0, points

    def lines(self, totals: Mapping[str, float]) -> Iterator[str]:
        """One line for each exercise, and one for all, given the points of each exercise."""
        width = max(map(len, totals))
        for exercise, total in totals.items():
            own = {name: ran for name, ran in self.ran.items() if exercise_of(name) == exercise}
            got = sum(score for score, _ in own.values())
            failed = [name for name, (score, points) in own.items() if score < points]
            left = total - sum(points for _, points in own.values())
            points_text = f"{got:g} of {total:g}" if own else f"– of {total:g}"
            notes = [f"not passed: {', '.join(failed)}"] if failed else []
            notes += [f"{left:g} open"] if left > 0 else []
            yield f"{exercise:{width}}  {points_text:>8}  {'; '.join(notes)}".rstrip()
        got = sum(score for score, _ in self.ran.values())
        yield (
            f"{got:g} of {sum(totals.values()):g} points so far. Choices, written answers and "
            "hidden tests are judged when your work is graded."
        )


SO_FAR = PointsSoFar()


def points_so_far(totals: Mapping[str, float]) -> None:
    """Print what the tests that have run in this notebook gave, by exercise.

    Parameters
    ----------
    totals:
        The points of each exercise. What no test here has judged is open: hidden tests, choices and
        written answers come with the grade.
    """
    print(*SO_FAR.lines(totals), sep="\n")


def _runs(source: str) -> bool:
    """Whether a test cell does anything here: all of it may be hidden."""
    rest = source.strip().splitlines()[1:]
    return any(line.strip() and not line.lstrip().startswith("#") for line in rest)


def _only_looks(source: str) -> bool:
    """Whether a test only sees that each statement has an answer."""
    return "answered(" in source and "choices(" not in source


def _score(value: object, points: float) -> float:
    """The points of a test that passed and ended with this value: a number below them counts."""
    scored = isinstance(value, int | float) and not isinstance(value, bool)
    return min(points, max(0.0, float(value))) if scored else points  # type: ignore[arg-type]


def speak(shell: Any) -> None:
    """Make a notebook's shell print a message after each test cell that passes.

    Before each, the checks are told which test it is. After each, they are told how it ended,
    until another cell runs, which may change the answer.
    """

    def before(info: Any) -> None:
        recall.runs(name_of_test(info.raw_cell or ""))

    def after(result: Any) -> None:
        recall.ended(result.success, getattr(result.error_in_exec, "guess", None))
        source = (result.info.raw_cell if result.info else "") or ""
        SO_FAR.ended(source, result.success, result.result)
        ran = source if result.success else ""
        if line := praise(ran, result.result):
            print(line)

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
