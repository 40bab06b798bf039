"""The examiner of one submission: what it has been told, and the requests to it."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from nbjudge.inside.wire import Channel, Closed, TimedOut
from nbjudge.intake import cells
from nbjudge.judge import names, outcome
from nbjudge.judge.job import Job
from nbjudge.judge.kernels import Kernels
from nbjudge.judge.learners import Snapshot
from nbjudge.judge.messages import (
    Ask,
    Connect,
    Connected,
    Connection,
    Finding,
    HowLong,
    LearnersNames,
    Open,
    SetUp,
    Step,
    Waited,
)

if TYPE_CHECKING:
    from nbjudge.sandbox import ExaminerProcess, Nursery

#: Extra seconds for the examiner itself, beyond a test's time limit.
EXAMINERS_SECONDS = 20.0


class Examination:
    """A process that runs the test cells, and the kernel that it talks to.

    Parameters
    ----------
    job, nursery:
        As for :func:`nbjudge.judge.judge`.
    notebook:
        The job's notebook.
    kernels:
        Where the examiner's resource usage is counted.
    """

    def __init__(self, job: Job, nursery: Nursery, notebook: NotebookNode, kernels: Kernels):
        self.job, self.nursery, self.limits, self.kernels = job, nursery, job.limits, kernels
        #: The exercises with tests of their own that inputs are left unchanged.
        self.keeping = names.keeping(notebook)
        #: A learner's name → the source of the cell that defines it.
        self.sources = {
            bound: cell.source
            for cell in notebook.cells
            for bound in job.names.get(cells.grade_id(cell), ())
        }
        #: The exercises with a test that timed out.
        self.slow: set[str] = set()
        self._process: ExaminerProcess | None = None
        self._talk: Connection | None = None
        self._linked: Snapshot | None = None
        #: The cells to tell an examiner about, and the number of those that this one knows.
        self._steps: list[Step] = []
        self._steps_known = 0

    # -- the process -----------------------------------------------------------------------------

    def start(self) -> None:
        """Fork an examiner; the next test tells it about all cells before that test."""
        self._process = self.nursery.examiner(self.limits, files=self.job.readable)
        self._talk, self._linked = Connection(Channel(self._process.socket)), None
        job = self.job
        opens = Open(seed=job.seed, refused=job.refused, imports=job.imports)
        self._talk.send(opens, EXAMINERS_SECONDS)
        self._steps_known = 0

    def stop(self) -> None:
        """Stop the examiner, if there is one, without waiting for it."""
        if self._process is not None:
            self._process.stop()

    def end(self) -> None:
        """Kill the examiner, if there is one."""
        if self._process is not None:
            self.kernels.count(self._process.usage())
            self._process.kill()
            self._process = self._talk = None

    def be_ready(self) -> None:
        """Start another examiner if the last one has ended."""
        if self._process is None or not self._process.alive():
            self.end()
            self.start()

    def _held(self) -> tuple[ExaminerProcess, Connection]:
        if self._process is None or self._talk is None:
            raise Closed("there is no examiner")
        return self._process, self._talk

    # -- what it knows ---------------------------------------------------------------------------

    @property
    def place(self) -> int:
        """The number of cells before the next test that an examiner must know of."""
        return len(self._steps)

    def note(self, cell: NotebookNode) -> None:
        """Tell the examiner about a cell before the next test."""
        if cells.is_answer(cell):
            bound = self._not_imports(self.job.names.get(cells.grade_id(cell), ()))
            self._steps.append(LearnersNames(names=bound))
        elif cells.is_locked(cell):
            if names.used(cell.source) & self.learners_names():
                # What it computes from a learner's answer is the learner's.
                self._steps.append(LearnersNames(names=sorted(names.bound(cell.source))))
            else:
                self._steps.append(SetUp(source=cell.source))

    def _not_imports(self, bound: Iterable[str]) -> list[str]:
        return [name for name in bound if name not in self.job.imports]

    def learners_names(self) -> set[str]:
        """Names bound so far by a learner, or by locked cells that use a learner's names."""
        return {n for step in self._steps if isinstance(step, LearnersNames) for n in step.names}

    # -- what it is asked ------------------------------------------------------------------------

    def link(self, snapshot: Snapshot) -> None:
        """Connect the examiner to this copy of a kernel."""
        if self._linked is snapshot:
            return
        process, talk = self._held()
        talk.send(Connect(most=self.limits.message_mb << 20), EXAMINERS_SECONDS)
        socket.send_fds(process.socket, [b"w"], [snapshot.wire.fileno()])
        talk.receive(Connected, seconds=EXAMINERS_SECONDS)
        self._linked = snapshot

    def ask(
        self, cell: NotebookNode, snapshot: Snapshot, seconds: float, part: str, place: int
    ) -> Finding:
        """The examiner's finding in a test cell.

        Parameters
        ----------
        cell, seconds, part:
            As for :class:`nbjudge.judge.messages.Ask`.
        snapshot:
            The copy of the learner's kernel to test.
        place:
            What :attr:`place` was when this test came next.

        Raises
        ------
        WireError
            If the examiner does not answer in time, or at all.
        """
        process, talk = self._held()
        name = cells.grade_id(cell)
        exercise = cells.exercise_of(name)
        call_seconds = float(self.limits.call_seconds)
        if exercise in self.slow:  # one endless loop must not use up the other exercises' time
            call_seconds = max(call_seconds / 10, min(1.0, call_seconds))
        ask = Ask(
            name=name,
            source=cell.source,
            before=self._steps[self._steps_known : place],
            seconds=float(seconds),
            call_seconds=call_seconds,
            keep=exercise not in self.keeping,
            part=part,
            place=place,
        )
        self._steps_known = max(self._steps_known, place)
        talk.send(ask, EXAMINERS_SECONDS)
        # Output from the kernel meanwhile is discarded.
        end, waited = monotonic() + seconds + EXAMINERS_SECONDS, snapshot.waited()
        deadline = end
        while True:
            while not snapshot.waits_for(process.socket, deadline - monotonic()):
                if monotonic() > deadline:
                    raise TimedOut("the examiner does not answer")
                if not process.alive():
                    raise Closed("the examiner has ended")
            left = max(0.1, deadline - monotonic())
            answer = talk.receive(HowLong, Finding, seconds=left)
            if isinstance(answer, Finding):
                answer.says = outcome.with_line(answer.says, self.sources)
                answer.ours = outcome.with_line(answer.ours, self.sources)
                return answer
            now = snapshot.waited() - waited
            deadline = end + now
            talk.send(Waited(seconds=now), EXAMINERS_SECONDS)
