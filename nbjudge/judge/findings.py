"""The results of one submission's cells and tests."""

from __future__ import annotations

from itertools import takewhile

from msgspec.structs import replace
from nbformat import NotebookNode

from nbjudge.intake import cells
from nbjudge.intake.notes import Notes
from nbjudge.judge import elsewhere, errors, outcome
from nbjudge.judge.job import TestScore
from nbjudge.judge.kernels import Kernels
from nbjudge.judge.messages import Finding
from nbjudge.report.outputs import Room

#: Message for an answer cell after which the kernel stops responding.
BREAKS = "after this cell the kernel no longer runs anything: what does the cell change in it?"


class Findings:
    """What is known so far about a submission.

    Attributes
    ----------
    tests:
        The judgement of each test, by name.
    by_test:
        The examiner's finding in each test, by name.
    stopped:
        Why the answer's own cell stopped, by exercise.
    notes:
        What was noticed: see :meth:`all_notes`.
    """

    def __init__(self, notebook: NotebookNode, kernels: Kernels):
        self.notebook, self.cells = notebook, notebook.cells
        self.kernels = kernels
        self.tests: dict[str, TestScore] = {}
        self.by_test: dict[str, Finding] = {}
        self.stopped: dict[str, str] = {}
        self.notes = Notes()
        self.out_of_time: list[str] = []
        self.died: dict[str, list[str]] = {}
        self.room = Room()

    def settle(self, cell: NotebookNode, finding: Finding, seen: list[str]) -> None:
        """Record the finding in a test."""
        name, points = cells.grade_id(cell), cells.points(cell)
        self.by_test[name] = finding = outcome.settled(finding, points)
        if finding.error in (errors.FAULTY, outcome.NOT_A_SCORE):
            self.notes.add(
                f"test {name} is itself faulty: {finding.says}",
                f"The test `{name}` does not work, through no fault of yours. Your instructor will "
                "look at it.",
                held=True,
            )
        cell.outputs, score = outcome.scored(finding, points)
        self.tests[name] = TestScore(
            score=score,
            max_score=points,
            message=outcome.message(finding, score, points),
            seconds=round(finding.seconds, 4),
            seen=seen,
            measured=finding.measured,
            in_hidden=finding.in_hidden,
        )

    def settle_again(self, cell: NotebookNode, finding: Finding, seen: list[str]) -> None:
        """Record a new finding in a test whose outputs were already tidied."""
        self.settle(cell, finding, seen)
        outcome.tidy(cell, self.room)

    def name_causes(self) -> None:
        """Tell of a known mistake in all failed tests that it explains, or in none."""
        messages = outcome.agreed(self.by_test)
        for cell in self.cells:
            name = cells.grade_id(cell)
            if cells.is_test(cell) and name in messages:
                finding = replace(self.by_test[name], says=messages[name])
                self.settle_again(cell, finding, self.tests[name].seen)

    def passed(self, name: str) -> bool:
        """Whether a test got all its points."""
        return self.tests[name].score >= self.tests[name].max_score

    def reported_once(self, name: str, finding: Finding) -> Finding:
        """The finding; an error already reported by another test of the exercise is not repeated.

        A cause that stands in another cell is named.
        """
        finding = elsewhere.explained(finding, self.notebook, name)
        if not outcome.is_an_error(finding):
            return finding
        for other, before in takewhile(lambda item: item[0] != name, self.by_test.items()):
            same = cells.exercise_of(other) == cells.exercise_of(name)
            if same and outcome.is_an_error(before) and outcome.is_same(before, finding):
                return replace(finding, says=outcome.as_in(other, finding))
        return finding

    def why_missing(self, exercise: str) -> str:
        """Why an exercise's names are undefined; empty if its cell ran to the end."""
        broken = {cells.grade_id(self.cells[index]) for index in self.kernels.broken}
        why = BREAKS if exercise in broken else self.stopped.get(exercise, "")
        return outcome.why_missing(why)

    def all_notes(self) -> Notes:
        """All notes without duplicates, including those that name several cells in one line."""
        notes = Notes()
        notes.extend(self.notes)
        for why, names in self.died.items():
            notes.add(
                f"the kernel died in {cells.listed(names)}: {why}",
                f"The kernel died in {yours(names)}. {why}",
            )
        if names := self.out_of_time:
            notes.add(
                f"ran out of time in {cells.listed(names)}",
                f"Time ran out in {yours(names)}. Is there a loop that never ends?",
            )
        if names := [called(self.cells[index]) for index in self.kernels.broken]:
            notes.add(
                f"the kernel ran nothing more after {cells.listed(names)}; what came after was "
                "judged without it",
                f"After {yours(names)} the kernel ran nothing more, so the rest was graded without "
                "it. What does this cell change?",
            )
        every = vars(notes).items()
        return Notes(**{kind: list(dict.fromkeys(lines)) for kind, lines in every})


#: A learner's own cell in a flag, and as the learner is told.
_ADDED, _YOURS = "a cell that they added", "a cell that you added"


def called(cell: NotebookNode) -> str:
    """A cell's name in a flag."""
    return cells.grade_id(cell) or _ADDED


def yours(names: list[str]) -> str:
    """Cells' names from :func:`called`, as the learner is told."""
    return cells.listed([_YOURS if name == _ADDED else f"`{name}`" for name in names])
