"""Marking by hand: a page by question, rubrics, regrade requests, and who gave which mark.

:mod:`.record` notes each change of a mark, :mod:`.scheme` reads a mark scheme, :mod:`.rubric` keeps
the items, what was chosen and the requests, :mod:`.desk` joins them with the gradebook, and
:mod:`.server` shows the page.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    # The settings of graded folders import it from here. It loads nbgrader, which takes seconds.
    if name == "record_marks":
        from nbjudge.marking.record import record_marks

        return record_marks
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
