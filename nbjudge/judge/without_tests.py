"""Show only those outputs of a learner's cells that arise without the hidden tests.

A function could store its arguments in a hidden test, and a later cell print them. So the cells
after the first hidden test are run again in a kernel that no hidden test has called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode

from nbjudge.inside.wire import WireError
from nbjudge.intake import cells
from nbjudge.judge import outcome
from nbjudge.judge.learners import Learner, NoKernel
from nbjudge.report.outputs import Room

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbjudge.judge.examination import Examination
    from nbjudge.judge.findings import Findings
    from nbjudge.judge.kernels import Kernels

#: Message for an answer cell that stopped, if its own message cannot be shown.
STOPPED = "The answer's own cell stopped."

#: Message for a learner's cell that gave no output without the hidden tests.
NOT_SHOWN = "This cell's output is not shown: without the tests the cell did not run to the end."


class WithoutTests:
    """Runs cells again in a kernel that no hidden test has called, and shows their outputs there.

    Parameters
    ----------
    kernels, examination, findings:
        Those of the session.
    forbidden:
        What each test cell forbids, by the cell's index.
    seconds:
        Returns the current time limit for a test.
    """

    def __init__(
        self,
        kernels: Kernels,
        examination: Examination,
        findings: Findings,
        forbidden: dict[int, tuple[str, ...]],
        seconds: Callable[[], float],
    ):
        self.kernels, self.examination, self.findings = kernels, examination, findings
        self.forbidden, self.seconds = forbidden, seconds
        self.cells = findings.cells

    def show(self, common: tuple[str, ...]) -> None:
        """Show the cells after a hidden test anew; ``common`` is what every test forbids."""
        hidden = (
            index
            for index, cell in enumerate(self.cells)
            if cells.is_test(cell) and cells.has_hidden_tests(cell.source)
        )
        first = next(hidden, len(self.cells))
        later = [
            index
            for index, cell in enumerate(self.cells)
            if index > first
            and cell.cell_type == "code"
            and cells.is_learners(cell)
            and cell.outputs
        ]
        again: dict[tuple[str, ...], list[int]] = {common: []} if later else {}
        for index in self.findings.in_their_words:
            again.setdefault(self.forbidden[index], []).append(index)
        for kinds, tests in again.items():
            cells_too = later if kinds == common else []
            outputs, said = self._run(kinds, tests, max(tests + cells_too))
            for index in tests:
                self._say_again(index, said.get(index))
            room = Room()
            for index in cells_too:
                self._show_again(index, outputs.get(index), room)

    def _run(
        self, kinds: tuple[str, ...], tests: list[int], last: int
    ) -> tuple[dict[int, list[NotebookNode]], dict[int, dict[str, Any]]]:
        """Run the cells up to ``last`` in a separate kernel.

        Returns
        -------
        outputs, said
            The cells' outputs there, and the results of these tests' visible parts, by index.
        """
        outputs: dict[int, list[NotebookNode]] = {}
        said: dict[int, dict[str, Any]] = {}
        learner = self.kernels.start_another(kinds)
        try:
            for index in sorted([*self.kernels.finished, *tests]):
                if index > last:
                    break
                if index in self.findings.in_their_words:
                    if index in tests:
                        said[index] = self._visible_part(learner, index)
                    continue
                ran = learner.run(self.kernels.source(index), self.kernels.seconds(index))
                if not ran.rests:
                    break
                outputs[index] = ran.outputs
        except (NoKernel, RuntimeError, WireError):
            pass
        finally:
            self.kernels.count(learner.end())
        return outputs, said

    def _visible_part(self, learner: Learner, index: int) -> dict[str, Any]:
        """The result of a test's visible part in this kernel."""
        self.examination.be_ready()
        self.examination.link(learner, new=learner.connect())
        source = self.kernels.source(index)
        return self.examination.ask(self.cells[index], learner, source, self.seconds())

    def _say_again(self, index: int, found: dict[str, Any] | None) -> None:
        """Replace a visible test's message by the one from the kernel without hidden tests.

        Failing that, use the message without the learner's own words.
        """
        cell, before = self.cells[index], self.findings.in_their_words[index]
        name = cells.grade_id(cell)
        says = found["says"] if found and found.get("ours") else before["ours"]
        seen = self.findings.tests[name]["seen"]
        found = self.findings.said_once(name, {**before, "says": says})
        self.findings.settle_again(cell, found, seen)

    def _show_again(self, index: int, shown: list[NotebookNode] | None, room: Room) -> None:
        """Replace a learner's cell's outputs by those from the kernel without hidden tests."""
        cell, findings = self.cells[index], self.findings
        cell.outputs = shown or [outcome.error(outcome.NOT_RUN, NOT_SHOWN)]
        outcome.tidy(cell, room)
        exercise = cells.grade_id(cell)
        if exercise not in findings.stopped:
            return
        before = findings.why_missing(exercise)
        findings.stopped[exercise] = outcome.why_stopped(cell)
        for test in filter(cells.is_test, self.cells):
            name = cells.grade_id(test)
            found = findings.found[name]
            if before and found.get("error") == "Missing" and found["says"] == before:
                says = findings.why_missing(exercise) or STOPPED
                seen = findings.tests[name]["seen"]
                findings.settle_again(test, {**found, "says": says}, seen)
