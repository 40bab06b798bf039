"""Ctrl-C while a class is graded: one line, at any moment, and no process is left."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

#: What is said, and the exit code that shells know a Ctrl-C by.
STOPPED = "Stopped. What is finished is kept: the same command goes on where it was."
CODE = 130

#: So many seconds the process has to put its things away.
PATIENCE = 10.0


def stops_in_one_line(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, such that the first Ctrl-C ends it in good order and the second at once.

    From the first on nothing more is written: what libraries say as they are taken down explains
    nothing. Whatever this process started ends with it, however it ends.
    """

    @functools.wraps(command)
    def stoppable(*args: Any, **named: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return command(*args, **named)
        before = signal.signal(signal.SIGINT, _stop)
        try:
            return command(*args, **named)
        except KeyboardInterrupt:
            os._exit(CODE)
        finally:
            signal.signal(signal.SIGINT, before)

    return stoppable


def _stop(*_: object) -> None:
    signal.signal(signal.SIGINT, _at_once)
    # Where a bar was being drawn: its line is cleared, and the cursor comes back.
    drawn = b"\r\x1b[2K\x1b[?25h" if os.isatty(2) else b""
    os.write(2, drawn + STOPPED.encode() + b"\n")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nowhere, stream.fileno())
        except (OSError, ValueError, AttributeError):  # not a file: under test
            continue
    timer = threading.Timer(PATIENCE, _at_once)
    timer.daemon = True
    timer.start()
    raise KeyboardInterrupt


def _at_once(*_: object) -> None:
    os._exit(CODE)
