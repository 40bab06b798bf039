"""Judge one submission: run its cells in order, then its tests, and record each result.

All cells run before a hidden value is sent to a learner's process: what they put out until then is
shown, and nothing later. Where a test stands the kernel is copied, and the test runs in the copy
(:mod:`nbjudge.judge.rounds`), so that nothing of a test reaches a later cell.

What a test cell forbids is watched while it runs a learner's code. What every test cell forbids
cannot be imported in the kernel at all.
"""

from __future__ import annotations

import json
from time import monotonic
from typing import TYPE_CHECKING

import nbformat
from nbformat import NotebookNode

from nbjudge.intake import cells
from nbjudge.judge import likeness, names, outcome
from nbjudge.judge.clock import Clock
from nbjudge.judge.examination import Examination
from nbjudge.judge.findings import Findings, called, yours
from nbjudge.judge.holding_back import hold_back
from nbjudge.judge.job import Job, Judged
from nbjudge.judge.kernels import Kernels
from nbjudge.judge.learners import NoKernel
from nbjudge.judge.pump import DIED, FLOODED, OUT_OF_TIME, CellRun
from nbjudge.judge.rounds import Rounds

if TYPE_CHECKING:
    from nbjudge.sandbox import Nursery

#: Once a notebook's cells together have used one cell's output limit, each further cell may use
#: this share of it; at ``MUCH`` times the limit, the learner's added cells are no longer run. So
#: a runaway cell does not cost the others.
A_PART, MUCH = 0.1, 2.0
TOO_MUCH = "This cell was not run: earlier cells produced too much output."


def judge(job: Job, nursery: Nursery) -> Judged:
    """Judge one submission.

    Parameters
    ----------
    job:
        The submission and how to judge it.
    nursery:
        The :class:`nbjudge.sandbox.Nursery` that forks kernels and examiners.

    Raises
    ------
    Exception
        Only if the judge's own machinery fails, never for what a learner did.
    """
    with Session(job, nursery) as session:
        return session.judged()


class Session:
    """Judges one job; a context manager that ends its kernel and examiner on exit."""

    def __init__(self, job: Job, nursery: Nursery):
        self.job, self.nursery, self.limits = job, nursery, job.limits
        self.clock = Clock(job.limits)
        self.notebook = nbformat.v4.reads(job.notebook.decode("utf-8"))
        self.cells = self.notebook.cells
        self.tests = sum(map(cells.is_test, self.cells))
        self.kernels = Kernels(
            *(job, nursery, self._source, self._seconds, self.clock.check, self.tests),
            names.forbidden_by_all(self.notebook),
        )
        self.findings = Findings(self.notebook, self.kernels)
        self.examination = Examination(job, nursery, self.notebook, self.kernels)
        self.rounds = Rounds(self.kernels, self.examination, self.findings, self.clock)
        self.over = ""
        #: Total output so far, in multiples of one cell's limit.
        self.put_out = 0.0

    def __enter__(self) -> Session:
        try:
            self.kernels.start()
            if self.tests:
                self.examination.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End the kernel and the examiner at the same time."""
        self.examination.stop()
        self.kernels.stop()
        self.kernels.end()
        self.examination.end()

    # -- the cells in order ----------------------------------------------------------------------

    def judged(self) -> Judged:
        """Run every cell and return the judgement."""
        count = 0
        for index, cell in enumerate(self.cells):
            if cell.cell_type != "code":
                continue
            cell.outputs, cell.execution_count = [], None
            if not cell.source.strip():
                continue
            count += 1
            cell.execution_count = count
            try:
                self.clock.check()
            except NoKernel as error:
                if not self.over:
                    self.over = str(error)
                    self._stopped(f"{self.over} before {called(cell)}", cell)
            if cells.is_test(cell):
                self.rounds.reach(index, cell, self.over)
            else:
                self.examination.note(cell)
                self.rounds.move_on()
                self._run(index, cell)
                outcome.tidy(cell, self.findings.room)
        self.rounds.finish()
        self.findings.name_causes()
        hold_back(self.job, self.findings)
        self._note_likeness()
        self.close()
        return Judged(
            notebook=json.dumps(self.notebook, ensure_ascii=False).encode("utf-8", "replace"),
            tests=self.findings.tests,
            **vars(self.findings.all_notes()),
            seconds=monotonic() - self.clock.began,
            cpu_seconds=self.kernels.cpu_seconds,
            peak_memory_mb=self.kernels.peak_memory_mb,
            sandbox=self.nursery.description,
        )

    def _source(self, index: int) -> str:
        """The part of a cell that a learner's kernel gets: never a hidden test."""
        return cells.without_hidden_tests(self.cells[index].source, "")

    def _seconds(self, index: int) -> float:
        """The time limit for a cell."""
        return self.clock.cell(cells.is_locked(self.cells[index]))

    def _run(self, index: int, cell: NotebookNode) -> None:
        """Run a cell that is not a test in the learner's kernel."""
        if self.over:
            cell.outputs = [outcome.error(outcome.NOT_RUN, f"This cell was not run: {self.over}.")]
            return
        if self.put_out > MUCH and cells.is_learners(cell) and not cells.is_answer(cell):
            cell.outputs = [outcome.error(outcome.NOT_RUN, TOO_MUCH)]
            return
        seconds = self._seconds(index)
        try:
            ran = self._ran(index, cell, seconds)
        except NoKernel as error:
            self.over = str(error)
            self._stopped(f"{error}, from {called(cell)} on", cell)
            cell.outputs = [outcome.error(outcome.NOT_RUN, f"This cell was not run: {error}.")]
            return
        cell.outputs = ran.outputs
        if ran.how == OUT_OF_TIME:
            self.findings.out_of_time.append(called(cell))
        outcome.explain(cell, ran.how, seconds)
        if ran.cut:
            self.findings.notes.add(
                f"{called(cell)} produces more output than is kept",
                f"The output of {yours([called(cell)])} is too long and was cut.",
            )
        if cells.is_answer(cell) and (why := outcome.why_stopped(cell)):
            self.findings.stopped[cells.grade_id(cell)] = why

    def _stopped(self, flag: str, cell: NotebookNode) -> None:
        """Note that nothing is run from this cell on."""
        message = f"Your notebook was not run to the end, but only up to {yours([called(cell)])}: "
        self.findings.notes.add(flag, f"{message}{self.over}.")

    def _ran(self, index: int, cell: NotebookNode, seconds: float) -> CellRun:
        """Run a cell; if the kernel does not return, check whether another cell is to blame."""
        while True:
            learner = self.kernels.catch_up()
            try:
                ran = learner.run(self._source(index), seconds, max(A_PART, 1 - self.put_out))
            except NoKernel:  # it does not return from the earlier tests
                ran = CellRun(DIED, rests=False)
            self.put_out += ran.flood
            if ran.rests:
                learner.done.add(index)
                if ran.how not in (OUT_OF_TIME, FLOODED):
                    self.kernels.finished.append(index)
                return ran
            why = learner.why_dead()
            self.kernels.end()
            if not self._another_is_to_blame():
                if ran.how == DIED:
                    self.findings.died.setdefault(why, []).append(called(cell))
                return ran

    def _another_is_to_blame(self) -> bool:
        """Rerun the earlier cells with checks; returns whether one of them breaks a kernel."""
        before = self.kernels.be_careful()
        self.kernels.catch_up()
        return len(self.kernels.broken) > before

    # -- a look at the answers themselves --------------------------------------------------------

    def _note_likeness(self) -> None:
        """Flag the answers that match the source files of what they must not use."""
        forbidden: dict[str, set[str]] = {}
        for cell in self.cells:
            if cells.is_test(cell):
                exercise = cells.exercise_of(cells.grade_id(cell))
                forbidden.setdefault(exercise, set()).update(names.forbidden(cell.source) or ())
        every = {one for names_of_one in forbidden.values() for one in names_of_one}
        notes = self.findings.notes
        for cell in self.cells:
            name = cells.grade_id(cell)
            if cell.cell_type != "code" or cells.is_locked(cell):
                continue
            among = forbidden.get(name, set()) if cells.is_answer(cell) else every
            for does in likeness.signs(cell.source, among):
                notes.add(f"{called(cell)} {does}")
            if cells.is_answer(cell) and forbidden.get(name):
                part, file = likeness.likeness(cell.source, forbidden[name])
                if part >= likeness.MUCH:
                    notes.add(f"{name}: {part:.0%} of the answer matches {file}")
