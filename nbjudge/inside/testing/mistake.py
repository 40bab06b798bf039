"""The error that a failed test raises."""

from __future__ import annotations

import textwrap
from typing import Any

from nbjudge.inside.causes import Guess

#: Columns to which a message is wrapped: the width of a notebook beside an open file browser.
WIDTH = 88


class Mistake(AssertionError):
    """Something is wrong with a learner's work; the message says what, and where to look.

    In a notebook the message is shown alone, without a traceback: a test's lines do not help, and
    those of a hidden test must stay hidden.

    Parameters
    ----------
    message:
        The message.
    about:
        The facts that may be reported if a hidden test calls the learner's code: see
        :mod:`nbjudge.inside.testing.unseen`.
    guess:
        What the wrong result says about its cause, if the message comes from that.
    """

    def __init__(
        self, message: str = "", about: dict[str, Any] | None = None, guess: Guess | None = None
    ):
        super().__init__(message)
        self.about, self.guess = about or {}, guess

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows instead of a traceback."""
        first, *rest = self._lines() or [""]
        return ["\n".join([f"✗ {first}", *rest])]

    def _lines(self) -> list[str]:
        """The message, wrapped; lines that start with a space, code and numbers, are kept as is."""
        wrapped: list[str] = []
        for line in str(self).splitlines():
            if not line or line.startswith(" "):
                wrapped.append(line)
            else:
                wrapped += textwrap.wrap(line, WIDTH, break_long_words=False)
        return wrapped
