"""One line of a solution broken: what the grader must blame on its piece, and on no other.

They lie in ``breakages/``, a file for each problem set.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple


class Breakage(NamedTuple):
    """``old``, which stands once in the solution of ``piece``, becomes ``new``."""

    piece: str
    old: str
    new: str


def breakages(problem_set: str) -> list[Breakage]:
    """The breakages of a problem set, in the order of its file; none where it has no file."""
    path = Path(__file__).parent / "breakages" / f"{problem_set}.toml"
    if not path.is_file():
        return []
    found = tomllib.loads(path.read_text(encoding="utf-8"))["breakage"]
    return [Breakage(**entry) for entry in found]
