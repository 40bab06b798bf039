"""What is printed: numbers in words, and text without control characters."""

from __future__ import annotations

import re
from typing import Any

#: Terminal escape sequences, such as colours.
_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def counted(number: int, noun: str) -> str:
    """``1 learner``, ``2 learners``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def number(value: float | None) -> str:
    """Points in plain notation: ``3``, ``2.5``; a dash if unknown."""
    return "–" if value is None else f"{round(value, 2):g}"


def of(result: Any) -> str:
    """A result's score and its maximum: ``3 of 4``, or ``– of 4`` while the score is unknown."""
    return f"{number(result.score)} of {number(result.max_score)}"


def measured(value: float) -> str:
    """A measured number: integers with commas, others to four significant digits."""
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.4g}"


def share(value: float | None) -> str:
    """A share as a percentage, such as ``25 %``; a dash if unknown."""
    return "–" if value is None else f"{value:.0%}".replace("%", " %")


def plain(text: str) -> str:
    """Text without control characters.

    This removes escape sequences for terminals, other control characters, and those that change
    the direction of text.
    """
    return _CONTROLS.sub("", _CODES.sub("", text))
