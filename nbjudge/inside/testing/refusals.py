"""What a learner's code was refused while a verb ran it."""

from __future__ import annotations

from typing import NoReturn

from nbjudge.inside.forbidden import Forbidden
from nbjudge.inside.program import program
from nbjudge.inside.testing.mistake import Mistake

REFUSALS: list[Mistake] = []


def refuse(name: str, entry: Forbidden) -> NoReturn:
    """Say that what was just called must be written by hand.

    Raises
    ------
    Mistake
        Always. If the learner's code catches it, it is reported all the same.
    """
    key = next(key for key, known in program().forbidden.items() if known is entry)
    REFUSALS.append(Mistake(f"`{name}` {entry.why}", {"key": key, "calls": name}))
    raise REFUSALS[-1]
