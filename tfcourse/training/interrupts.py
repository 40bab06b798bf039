"""Ctrl-C: the step is finished and kept before training ends."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from tfcourse.training.history import History


class Interrupted(KeyboardInterrupt):
    """Training was stopped by Ctrl-C after a whole step; ``history`` has what was done until then.

    The model holds the weights of its last step.
    """

    def __init__(self, message: str, history: History) -> None:
        super().__init__(message)
        self.history = history


class Interrupts:
    """Within, the first Ctrl-C is noted; a second one interrupts at once, as ever.

    Outside the main thread nothing changes: Python gives signals to the main thread alone. Nor does
    it where Ctrl-C is ignored, as it is for what a shell script runs in the background.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None  # as Python gives it: a function, or a number of the system's

    def __enter__(self) -> Interrupts:
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        if threading.current_thread() is threading.main_thread() and not ignored:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._put_back()

    def _put_back(self) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def __exit__(self, *_: object) -> None:
        self._put_back()
