"""What a check and the process that runs the notebook say to each other, through files."""

from __future__ import annotations

from nbjudge.inside.messages import Message, Tagged
from nbjudge.judge.messages import Ask, Finding, KnownAnswers, Step


class Prepare(Tagged):
    """Have the examiner run a set-up cell, or note the learner's names."""

    step: Step


class RunCell(Tagged):
    """Run a cell that is not a test; ``answer`` says whether it answers an exercise."""

    name: str
    source: str
    seconds: float
    answer: bool = False


class RunTest(Tagged):
    """Run a test that is worth ``points``."""

    ask: Ask
    points: float


class Work(Message):
    """A notebook to run.

    Attributes
    ----------
    steps:
        Its cells, in order.
    seed:
        The seed of random numbers and of the hidden tests' inputs.
    known:
        The course's wrong answers.
    start:
        The first step that no earlier process has taken.
    done:
        Those before it that have to be taken again.
    slow:
        The exercises with a test that timed out.
    seconds:
        The time limit for all of it.
    """

    steps: list[Prepare | RunCell | RunTest]
    seed: int
    known: KnownAnswers
    start: int
    done: list[int]
    slow: list[str]
    seconds: float


class Loaded(Tagged):
    """The process has loaded everything and begins."""


class Begun(Tagged):
    """It begins with a step, perhaps again."""

    at: int
    again: bool


class Done(Tagged):
    """It has taken a step. ``finding`` is ``None`` for a test that was skipped."""

    at: int
    again: bool
    finding: Finding | None


class Finished(Tagged):
    """It has come to the end of the notebook."""


#: What the process says, one on a line.
Event = Loaded | Begun | Done | Finished
