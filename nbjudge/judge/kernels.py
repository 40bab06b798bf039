"""The kernel of a submission, and the one that takes its place if a cell hangs or ends it.

It has run all cells up to the current one, and is copied where a test will need it as it was there.

In a new kernel the earlier cells are run again. If that does not help, the cell after which the
kernel stops responding is found and left out: what other cells define is then judged without it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from nbjudge.judge.job import Job
from nbjudge.judge.learners import LearnersKernel, NoKernel

if TYPE_CHECKING:
    from nbjudge.sandbox import Nursery, Usage

#: Maximum number of times that a kernel is replaced, for the tests of one exercise and in total.
MAX_RESTARTS_OF_EXERCISE, MAX_RESTARTS = 3, 16

#: Maximum number of cells left out before the notebook is abandoned.
MAX_BROKEN = 4


class Kernels:
    """The kernel of one submission.

    Parameters
    ----------
    job, nursery:
        As for :func:`nbjudge.judge.judge`.
    source, seconds:
        Functions of a cell's index: the code to run, and its time limit.
    in_time:
        Raises :class:`NoKernel` when the submission's time is used up.
    tests:
        Number of test cells, for each of which it may be copied.
    forbidden:
        What every test forbids: it cannot import their modules.

    Attributes
    ----------
    finished:
        The indices of the cells that ran to the end, in order: those to be run again.
    broken:
        The indices of cells after which a kernel stops responding.
    places:
        The indices of the test cells at which it is copied.
    """

    def __init__(
        self,
        job: Job,
        nursery: Nursery,
        source: Callable[[int], str],
        seconds: Callable[[int], float],
        in_time: Callable[[], None],
        tests: int = 0,
        forbidden: tuple[str, ...] = (),
    ):
        self.job, self.nursery, self.source, self.seconds = job, nursery, source, seconds
        self.in_time, self.tests, self.forbidden = in_time, tests, forbidden
        self.finished: list[int] = []
        self.broken: list[int] = []
        self.places: set[int] = set()
        self.cpu_seconds = self.peak_memory_mb = 0.0
        self._learner: LearnersKernel | None = None
        self._restarts: dict[str, int] = {}
        self._careful = self._sealed = False

    def start(self) -> LearnersKernel:
        """Start a kernel."""
        digest = hashlib.sha256(f"kernel/{self.job.seed}".encode()).digest()
        seed = int.from_bytes(digest[:7], "big")
        job = self.job
        self._learner = LearnersKernel(
            self.nursery, job.limits, self.forbidden, job.readable, seed, self.tests
        )
        return self._learner

    def stop(self) -> None:
        """Kill the kernel at once, since it takes a while to end."""
        if self._learner is not None:
            self._learner.kernel.stop()

    def end(self) -> None:
        """Kill the kernel, if there is one."""
        learner, self._learner = self._learner, None
        if learner is not None:
            self.count(learner.end())

    def seal(self) -> None:
        """Stop the kernel and hear nothing more from it; its copies can still be used.

        From now on a kernel runs only what comes before the last place where it is copied.
        """
        self._sealed = True
        if self._learner is not None:
            self._learner.seal()

    def count(self, used: Usage) -> None:
        """Add a process's usage to the totals."""
        self.cpu_seconds += used.cpu_seconds
        self.peak_memory_mb = max(self.peak_memory_mb, used.peak_memory_mb)

    def be_careful(self) -> int:
        """From now on, check after each rerun cell whether the kernel still responds.

        Returns the number of cells found so far after which it does not.
        """
        self._careful = True
        return len(self.broken)

    def catch_up(self, exercise: str = "") -> LearnersKernel:
        """A kernel that has run all finished cells and was copied at all :attr:`places`.

        Raises
        ------
        NoKernel
            If there is no such kernel: it was replaced too often, too many cells break it, or no
            time is left to run the cells again.
        """
        if self._learner is not None and self._too_late(self._learner):
            self.end()
        while True:
            learner = self._learner or self._restart(exercise)
            end = max(self.places, default=-1) if self._sealed else math.inf
            behind = [i for i in self.finished if i not in learner.done and i < end]
            behind += self.places - set(learner.snapshots)
            breaks = next((i for i in sorted(behind) if not self._gets_past(learner, i)), None)
            if breaks is None:
                return learner
            self.end()
            self.in_time()  # a cell cut short by the time limit is not to blame
            if self._careful and breaks in self.finished:
                self.finished.remove(breaks)
                self.broken.append(breaks)
                if len(self.broken) > MAX_BROKEN:
                    raise NoKernel("too many of its cells break the kernel")
            elif self._careful:
                self.places.discard(breaks)
                raise NoKernel("the kernel does not answer the tests")
            self._careful = True

    def _too_late(self, learner: LearnersKernel) -> bool:
        """Whether a kernel has run a cell that is left out, or too much to be copied as needed."""
        missing = self.places - set(learner.snapshots)
        late = bool(missing) and min(missing) < max(learner.done, default=-1)
        return late or bool(learner.done & set(self.broken))

    def _gets_past(self, learner: LearnersKernel, index: int) -> bool:
        """Whether a kernel responds after running a cell again, or being copied at a test's."""
        if index in self.finished:
            return self._runs_again(learner, index)
        try:
            learner.snapshots[index] = learner.snapshot()
        except NoKernel:
            return False
        return True

    def _restart(self, exercise: str) -> LearnersKernel:
        of_exercise, together = self._restarts.get(exercise, 0), sum(self._restarts.values())
        if of_exercise >= MAX_RESTARTS_OF_EXERCISE + self._careful or together >= MAX_RESTARTS:
            times = of_exercise if of_exercise < together else together
            raise NoKernel(
                f"this notebook has stopped or hung Python {times} times, so it is not started "
                "again. Look for code that never ends, calls exit(), or uses up the memory"
            )
        self._restarts[exercise] = of_exercise + 1
        return self.start()

    def _runs_again(self, learner: LearnersKernel, index: int) -> bool:
        try:
            ran = learner.run(self.source(index), self.seconds(index))
            if not ran.rests:
                return False
            learner.done.add(index)
            if self._careful:
                learner.answers()
                learner.disconnect()
        except NoKernel:
            return False
        return True
