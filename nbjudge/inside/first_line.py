"""The first line of a test cell says its name and its points: ``# double--values · 2 points``."""

from __future__ import annotations

import re

FIRST_LINE = re.compile(r"# (?P<name>[\w-]+--[\w-]+) · (?P<points>[\d.]+) points?$")


def first_line(source: str) -> tuple[str, float] | None:
    """The grade id and the points in a test cell's first line; ``None`` if this is no test cell."""
    match = FIRST_LINE.match(source.strip().partition("\n")[0].strip())
    return (match["name"], float(match["points"])) if match else None


def name_of_test(source: str) -> str:
    """The grade id in a test cell's first line; empty if this is no test cell."""
    named = first_line(source)
    return named[0] if named else ""
