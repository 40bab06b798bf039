"""The tests of one submission, in two rounds.

In the first round, while the learner's cells run, the shown half of each test runs at its place.
The second round follows the last cell: the hidden halves. From its beginning nothing that the
learner's code says or puts out is heard, because it may tell what a hidden test has passed in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nbformat import NotebookNode

from nbjudge.inside.wire import TimedOut, WireError
from nbjudge.intake import cells
from nbjudge.judge import errors, outcome
from nbjudge.judge.clock import Clock
from nbjudge.judge.examination import Examination
from nbjudge.judge.findings import Findings
from nbjudge.judge.halves import HIDDEN, SHOWN, WHOLE, shows
from nbjudge.judge.kernels import Kernels
from nbjudge.judge.learners import NoKernel, Snapshot
from nbjudge.judge.messages import Finding


@dataclass
class RunningTest:
    """A test cell on its way to a result.

    Attributes
    ----------
    index, cell:
        The cell.
    place:
        The index of the first test cell since another cell has run.
    known:
        What :attr:`nbjudge.judge.examination.Examination.place` was here.
    finding:
        What was found so far.
    seen:
        Notes for the report.
    """

    __test__ = False

    index: int
    cell: NotebookNode
    place: int
    known: int
    finding: Finding = field(default_factory=Finding)
    seen: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its grade id."""
        return cells.grade_id(self.cell)

    @property
    def exercise(self) -> str:
        """The exercise that it tests."""
        return cells.exercise_of(self.name)


class Rounds:
    """Runs a submission's tests.

    Parameters
    ----------
    kernels, examination, findings, clock:
        Those of the session.
    """

    def __init__(
        self, kernels: Kernels, examination: Examination, findings: Findings, clock: Clock
    ):
        self.kernels, self.examination = kernels, examination
        self.findings, self.clock = findings, clock
        self.tests: list[RunningTest] = []
        #: Those whose hidden half waits for the second round.
        self.waiting: list[RunningTest] = []
        self._place = -1

    def move_on(self) -> None:
        """Note that a cell runs, so that the next test has another place."""
        self._place = -1

    # -- the first round -------------------------------------------------------------------------

    def reach(self, index: int, cell: NotebookNode, over: str) -> None:
        """Run what is shown of a test; ``over`` says why no more cells are run, if so."""
        self._place = index if self._place < 0 else self._place
        test = RunningTest(index, cell, self._place, self.examination.place)
        self.tests.append(test)
        hides = cells.has_hidden_tests(cell.source)
        try:
            if over:
                raise NoKernel(over)
            if not hides or shows(cell.source):
                test.finding = self._again_if_garbled(test, SHOWN if hides else WHOLE)
            if hides and not test.finding.error:
                self.kernels.places.add(test.place)
                self.kernels.catch_up(test.exercise)
                self.waiting.append(test)
        except NoKernel as error:
            test.finding = _not_run(error)
        self._note(test)

    def _here(self, test: RunningTest) -> Snapshot:
        """A copy of a test's kernel at its place; a kernel that does not respond is replaced."""
        for again in (False, True):
            learner = self.kernels.catch_up(test.exercise)
            try:
                return learner.here()
            except NoKernel as error:
                self._replace(test, str(error))
                if again:
                    raise
        raise AssertionError("it returns or raises")

    def _replace(self, test: RunningTest, why: str) -> None:
        test.seen.append(why)
        self.kernels.end()
        self.kernels.be_careful()

    def _again_if_garbled(self, test: RunningTest, part: str) -> Finding:
        """The finding in a test; another cell may be to blame for a reply that is no answer."""
        finding = self._asked(test, part)
        if finding.error == errors.GARBLED:
            self.kernels.end()
            before = self.kernels.be_careful()
            self.kernels.catch_up(test.exercise)
            if len(self.kernels.broken) > before:
                return self._asked(test, part)
        return finding

    # -- the second round ------------------------------------------------------------------------

    def finish(self) -> None:
        """Run the hidden halves, then record the results of all tests in order."""
        if self.waiting:
            self.kernels.seal()
            self.clock.turn_to_tests()
        for test in list(self.waiting):
            printed = test.finding.printed
            try:
                self.clock.check()
                test.finding = self._again_if_garbled(test, HIDDEN)
            except NoKernel as error:
                test.finding = _not_run(error)
            test.finding.printed = printed + test.finding.printed
            test.finding.in_hidden = True
            self.waiting.remove(test)
            self._note(test)
        for test in self.tests:
            self._settle(test)

    def _left(self, test: RunningTest) -> Snapshot:
        """The copy of the kernel for a hidden half: the one at its place, or a copy of that."""
        for again in (False, True):
            self.kernels.places.add(test.place)
            learner = self.kernels.catch_up(test.exercise)
            learner.seal()
            try:
                if any(self._same_place(test, other) for other in self.waiting):
                    return learner.snapshots[test.place].copy()
                self.kernels.places.discard(test.place)
                return learner.snapshots.pop(test.place)
            except NoKernel as error:
                self._replace(test, str(error))
                if again:
                    raise
            except KeyError:
                raise NoKernel("the kernel does not answer the tests") from None
        raise AssertionError("it returns or raises")

    @staticmethod
    def _same_place(one: RunningTest, other: RunningTest) -> bool:
        return one is not other and one.place == other.place

    # -- both ------------------------------------------------------------------------------------

    def _asked(self, test: RunningTest, part: str) -> Finding:
        """Have the examiner run a test, or this part of it."""
        self.examination.be_ready()
        snapshot = self._left(test) if part == HIDDEN else self._here(test)
        seconds = self.clock.test()
        try:
            snapshot.go_on()
            self.examination.link(snapshot)
            finding = self.examination.ask(test.cell, snapshot, seconds, part, test.known)
        except WireError as error:
            late = isinstance(error, TimedOut)
            test.seen.append("the examiner " + ("took too long" if late else "ended"))
            self.findings.notes.add(f"{test.name}: {test.seen[-1]}")
            self.examination.end()
            finding = Finding(
                error=errors.OUT_OF_TIME if late else outcome.NOT_RUN,
                says=f"This test was stopped after {seconds:.0f} s."
                if late
                else "This test could not be run: it could not cope with what came back.",
                lost=True,
            )
        finally:
            if part == HIDDEN:
                snapshot.end()
        self.clock.give(finding.aside)
        if finding.lost:
            self._lose(test, finding, snapshot, briefly=part == HIDDEN)
        return finding

    def _lose(
        self, test: RunningTest, finding: Finding, snapshot: Snapshot, *, briefly: bool
    ) -> None:
        """Note how a test's copy of the kernel ended, and replace the kernel if it ended too."""
        learner = snapshot.learner
        learner.leave()
        test.seen.append("its copy of the kernel was ended after this test")
        if finding.error == errors.GONE:
            finding.why = learner.why_gone(briefly)
            finding.says = f"{finding.says} {finding.why}"
        if not (learner.kernel.alive() and snapshot.can_be_ended):
            self.kernels.end()

    def _note(self, test: RunningTest) -> None:
        if test.finding.error == errors.OUT_OF_TIME:
            self.examination.slow.add(test.exercise)

    def _settle(self, test: RunningTest) -> None:
        findings, finding, name = self.findings, test.finding, test.name
        if finding.error == errors.OUT_OF_TIME:
            findings.out_of_time.append(name)
        elif finding.error == errors.GONE:
            findings.died.setdefault(finding.why, []).append(name)
        elif finding.error == errors.GARBLED:
            findings.notes.add(f"{name}: {finding.says}")
        elif finding.error == "Missing" and (why := findings.why_missing(test.exercise)):
            finding.says = why
        findings.settle(test.cell, findings.reported_once(name, finding), test.seen)
        outcome.tidy(test.cell, findings.room)


def _not_run(error: NoKernel) -> Finding:
    return Finding(error=outcome.NOT_RUN, says=f"This test was not run: {error}.")
