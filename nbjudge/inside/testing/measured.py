"""Numbers about a piece of work that are worth comparing within a class."""

from __future__ import annotations

import math

from nbjudge.inside.testing.mistake import Mistake

#: What the test that runs has measured so far.
_found: dict[str, float] = {}

#: So long a name may be.
MOST = 40


def measured(name: str, number: float) -> None:
    """Note a number that a test found, for the report and for the class's leaderboard.

    Parameters
    ----------
    name:
        What was measured, such as ``"seconds"``. The first name that a problem set uses ranks the
        leaderboard; the second, if there is one, is what the drawing sets it against.
    number:
        The number.

    Raises
    ------
    ValueError
        If the name is empty or longer than 40 characters.
    Mistake
        If the number is infinite or none.
    """
    if not 0 < len(name) <= MOST:
        raise ValueError(f"name must have 1 to {MOST} characters, got {name!r}")
    if not math.isfinite(number):
        raise Mistake(f"{name} comes out as {number}: it must be a finite number.")
    _found[name] = float(number)


def collected() -> dict[str, float]:
    """What was measured since the last time that this was asked."""
    found = dict(_found)
    _found.clear()
    return found
