"""What a failed test says."""

from __future__ import annotations

import textwrap
from typing import Any

#: Columns that a message is wrapped to: what a notebook shows beside an open file browser.
WIDTH = 88


class Mistake(AssertionError):
    """Something is wrong with a learner's work; the message says what, and where to look.

    In a notebook the message is shown alone, without a traceback: the lines of a test are no help,
    and those of a hidden one are nobody's business.

    Parameters
    ----------
    message:
        What is said.
    about:
        What of it may be told where a hidden test calls the learner's code: see
        :mod:`nbjudge.inside.testing.unseen`.
    """

    def __init__(self, message: str = "", about: dict[str, Any] | None = None):
        super().__init__(message)
        self.about = about or {}

    def _render_traceback_(self) -> list[str]:
        """IPython shows these lines instead of a traceback."""
        first, *rest = self._lines() or [""]
        return ["\n".join([f"✗ {first}", *rest])]

    def _lines(self) -> list[str]:
        """The message, wrapped; code and numbers start with a blank and stay as they are."""
        wrapped: list[str] = []
        for line in str(self).splitlines():
            if not line or line.startswith(" "):
                wrapped.append(line)
            else:
                wrapped += textwrap.wrap(line, WIDTH, break_long_words=False)
        return wrapped
