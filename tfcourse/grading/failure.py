"""The error of the grader itself; apart from the rest so that a worker need not load all of it."""

from __future__ import annotations


class GradingFailed(RuntimeError):
    """A submission, or the problem set, could not be graded; the message says what to do."""
