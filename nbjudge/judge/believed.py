"""What a test accepts that computes nothing."""

from __future__ import annotations

from typing import NamedTuple


class Believed(NamedTuple):
    """A lie that a test believes.

    Attributes
    ----------
    lie:
        Its name.
    part:
        Whether it is about one of several results.
    told:
        Whether the test asked for anything that a learner cannot know; if not, it heard the truth.
    """

    lie: str
    part: bool
    told: bool
