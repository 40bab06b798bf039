"""The time that a submission has."""

from __future__ import annotations

from time import monotonic

from nbjudge.inside.limits import Limits
from nbjudge.judge.learners import NoKernel


class Clock:
    """Counts down the time of one submission.

    Parameters
    ----------
    limits:
        The submission's limits.
    """

    def __init__(self, limits: Limits):
        self.limits, self.began = limits, monotonic()
        self.deadline = self.began + limits.submission_seconds

    def check(self) -> None:
        """Raise :class:`nbjudge.judge.learners.NoKernel` if the time is used up."""
        if monotonic() > self.deadline:
            raise NoKernel(f"the submission's {self.limits.submission_seconds:g} s were used up")

    def cell(self, locked: bool) -> float:
        """The time limit in seconds for a cell.

        A locked cell is ours: if it runs slowly, that is not the learner's fault.
        """
        limit = self.limits.submission_seconds if locked else self.limits.cell_seconds
        return max(0.1, min(limit, self.deadline - monotonic()))

    def test(self) -> float:
        """The time limit in seconds for a test."""
        return self.cell(locked=False)

    def give(self, seconds: float) -> None:
        """Give these seconds back: they were not the learner's."""
        self.deadline += seconds

    def turn_to_tests(self) -> None:
        """Reserve time for the tests that follow the last cell, if the cells have used it up."""
        self.deadline = max(self.deadline, monotonic() + self.limits.reserve_seconds)
