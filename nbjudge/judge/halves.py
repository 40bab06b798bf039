"""The two halves of a test cell: what learners see of it, and what is hidden from them."""

from __future__ import annotations

import ast

from nbjudge.intake import cells

#: What to run of a test cell: all at once, or first what is shown and later all of it once more.
WHOLE, SHOWN, HIDDEN = "whole", "shown", "hidden"

#: Calls that test nothing by themselves.
_DECLARE = frozenset({"by_hand"})


def shows(source: str) -> bool:
    """Whether a test cell calls anything before its hidden half begins."""
    lines = source.splitlines()
    first = next((n for n, line in enumerate(lines) if cells.BEGIN_HIDDEN in line), len(lines))
    try:
        body = ast.parse("\n".join(lines[:first])).body
    except SyntaxError:  # it begins inside a block
        return True
    calls = (node for step in body for node in ast.walk(step) if isinstance(node, ast.Call))
    return any(getattr(call.func, "id", "") not in _DECLARE for call in calls)
