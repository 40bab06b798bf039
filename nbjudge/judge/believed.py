"""What is weighed: an instructor's notebook, and what its tests accept that computes nothing."""

from __future__ import annotations

from typing import NamedTuple

from nbjudge.inside.messages import Message


class Believed(NamedTuple):
    """A lie that a test believes.

    Attributes
    ----------
    lie:
        Its name.
    part:
        Whether it is about one of several results.
    lied:
        Whether the test asked for anything that a learner cannot know; if not, it heard the truth.
    """

    lie: str
    part: bool
    lied: bool


class WeighedCell(Message, omit_defaults=True):
    """A cell, which is one of three.

    Attributes
    ----------
    test, source, points:
        The name, code and points of a test, which is weighed.
    answer:
        The code of an answer, or of a cell that uses one.
    setup:
        The code of a cell that tests and answers use.
    """

    test: str | None = None
    source: str = ""
    points: float = 0.0
    answer: str | None = None
    setup: str | None = None


class ToWeigh(Message):
    """A notebook to weigh.

    Attributes
    ----------
    cells:
        Its cells, in order.
    learners:
        The names that tests use through verbs.
    files:
        A digest of the files that are handed in beside it.
    """

    cells: list[WeighedCell]
    learners: list[str]
    files: str


class Weights(Message):
    """What a release stores: a digest of what was weighed, and test → a lie that it accepts."""

    of: str
    accepts: dict[str, str]
