"""Numbers about a submission that are worth comparing within a class."""

from __future__ import annotations

import math

from nbjudge.inside.testing.mistake import Mistake

#: What the running test has measured so far.
_numbers: dict[str, float] = {}

#: Maximum length of a name, in characters.
MOST = 40


def measured(name: str, number: float) -> None:
    """Record a number that a test found, for the report and the class's leaderboard.

    Parameters
    ----------
    name:
        What was measured, such as ``"seconds"``. The first name that a problem set uses ranks the
        leaderboard; the second, if there is one, is the other axis of its plot.
    number:
        The measured value.

    Raises
    ------
    ValueError
        If the name is empty or longer than 40 characters.
    Mistake
        If the number is infinite or NaN.
    """
    if not 0 < len(name) <= MOST:
        raise ValueError(f"name must have 1 to {MOST} characters, got {name!r}")
    if not math.isfinite(number):
        raise Mistake(f"{name} comes out as {number}: it must be a finite number.")
    _numbers[name] = float(number)


def collected() -> dict[str, float]:
    """What was measured since the last call."""
    numbers = dict(_numbers)
    _numbers.clear()
    return numbers
