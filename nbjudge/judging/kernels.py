"""A submission's kernels: one for each set of things that are forbidden.

Each has run all cells up to the place where the notebook is.

A kernel that hangs or dies is replaced, and the cells before are run again in the new one. Where
that does not help, the cell after which a kernel answers no more is found and left out: what other
cells define is then judged without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from nbjudge.judging.job import Job
from nbjudge.judging.learners import Learner, NoKernel
from nbjudge.judging.pump import OK

if TYPE_CHECKING:
    from nbjudge.sandbox import Nursery, Usage

#: So often a kernel is replaced, for the tests of one exercise and in the whole.
MAX_RESTARTS_OF_EXERCISE, MAX_RESTARTS = 3, 16

#: So many cells are left out before the notebook is given up.
MAX_BROKEN = 4


class Kernels:
    """The kernels of one submission.

    Parameters
    ----------
    job, nursery:
        As for :func:`nbjudge.judge.judge`.
    source, seconds:
        Of a cell by its place: what is to be run, and how long that may take.
    in_time:
        Raises :class:`NoKernel` when the submission's time is used up.

    Attributes
    ----------
    finished:
        The places of the cells that have come to their end, in order: those to be run again.
    broken:
        The places of cells after which a kernel answers no more.
    otherwise:
        By the place of a cell that has come to its end, how it ended in a kernel in which more is
        forbidden, if it did not come to its end there.
    """

    def __init__(
        self,
        job: Job,
        nursery: Nursery,
        source: Callable[[int], str],
        seconds: Callable[[int], float],
        in_time: Callable[[], None],
    ):
        self.job, self.nursery, self.source, self.seconds = job, nursery, source, seconds
        self.in_time = in_time
        self.finished: list[int] = []
        self.broken: list[int] = []
        self.otherwise: dict[int, str] = {}
        self.cpu_seconds = self.peak_memory_mb = 0.0
        self._learners: dict[tuple[str, ...], Learner] = {}
        self._leaving: list[Learner] = []
        self._restarts: dict[str, int] = {}
        self._careful = False

    def start(self, kinds: tuple[str, ...]) -> None:
        """Have a kernel without these kinds come up."""
        digest = hashlib.sha256(f"kernel/{self.job.seed}".encode()).digest()
        seed = int.from_bytes(digest[:7], "big")
        job = self.job
        self._learners[kinds] = Learner(self.nursery, job.limits, kinds, job.found, seed)

    def start_another(self, kinds: tuple[str, ...]) -> Learner:
        """One more kernel without these kinds, for which whoever asks for it cares."""
        before = self._learners.pop(kinds, None)
        self.start(kinds)
        found = self._learners.pop(kinds)
        if before is not None:
            self._learners[kinds] = before
        return found

    def has(self, kinds: tuple[str, ...], learner: Learner) -> bool:
        """Whether this is the kernel without these kinds as it is now."""
        return self._learners.get(kinds) is learner

    def end(self, kinds: tuple[str, ...]) -> None:
        """Kill the kernel without these kinds, if there is one."""
        learner = self._learners.pop(kinds, None)
        if learner is not None:
            self.count(learner.end())

    def let_go(self, kinds: tuple[str, ...]) -> None:
        """Have the kernel without these kinds end while others go on."""
        learner = self._learners.pop(kinds, None)
        if learner is not None:
            learner.kernel.stop()
            self._leaving.append(learner)

    def end_all(self) -> None:
        """Kill them all, together: each takes a while to go."""
        for kinds in list(self._learners):
            self.let_go(kinds)
        while self._leaving:
            self.count(self._leaving.pop().end())

    def count(self, used: Usage) -> None:
        """Add up what a process has used."""
        self.cpu_seconds += used.cpu_seconds
        self.peak_memory_mb = max(self.peak_memory_mb, used.peak_memory_mb)

    def be_careful(self) -> int:
        """From now on see after each cell that is run again whether the kernel still answers.

        Gives how many cells have been found after which it does not.
        """
        self._careful = True
        return len(self.broken)

    def catch_up(self, kinds: tuple[str, ...], exercise: str = "") -> Learner:
        """A kernel without these kinds that has run all finished cells.

        Raises
        ------
        NoKernel
            If there is no such kernel: it was replaced too often, too many cells break it, or there
            is no time left to run the cells again.
        """
        if kinds in self._learners and self._learners[kinds].done & set(self.broken):
            self.end(kinds)
            self.start(kinds)
        while True:
            if kinds not in self._learners:
                self._restart(kinds, exercise)
            learner = self._learners[kinds]
            behind = [index for index in self.finished if index not in learner.done]
            breaks = next((i for i in behind if not self._runs_again(learner, i)), None)
            if breaks is None:
                return learner
            self.end(kinds)
            self.in_time()  # a cell that was cut short for that is not to blame
            if self._careful:
                self.finished.remove(breaks)
                self.broken.append(breaks)
                if len(self.broken) > MAX_BROKEN:
                    raise NoKernel("too many of its cells break the kernel")
            self._careful = True

    def _restart(self, kinds: tuple[str, ...], exercise: str) -> None:
        of_exercise, together = self._restarts.get(exercise, 0), sum(self._restarts.values())
        if of_exercise >= MAX_RESTARTS_OF_EXERCISE + self._careful or together >= MAX_RESTARTS:
            times = of_exercise if of_exercise < together else together
            raise NoKernel(
                f"this notebook has stopped or hung Python {times} times, so it is not started "
                "again. Look for what never ends, calls exit(), or takes all the memory"
            )
        self._restarts[exercise] = of_exercise + 1
        self.start(kinds)

    def _runs_again(self, learner: Learner, index: int) -> bool:
        try:
            ran = learner.run(self.source(index), self.seconds(index))
            if not ran.rests:
                return False
            if ran.how != OK:
                self.otherwise[index] = ran.how
            learner.done.add(index)
            if self._careful:
                learner.answers()
                learner.disconnect()
        except NoKernel:
            return False
        return True
