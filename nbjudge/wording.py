"""Numbers in words: points, shares, counts."""

from __future__ import annotations

from typing import Any


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
