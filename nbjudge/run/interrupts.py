"""Handle Ctrl-C while a class is graded: one line of output, and no process left behind."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

#: The message, and the exit code by which shells recognise Ctrl-C.
STOPPED = "Stopped. Finished work is kept: run the same command to continue."
CODE = 130

#: Seconds that the process has for cleaning up.
PATIENCE = 10.0


def stops_in_one_line(command: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a command so that the first Ctrl-C ends it cleanly and the second immediately.

    After the first, nothing more is printed: what libraries log during shutdown explains nothing.
    Child processes end with this one, however it ends.
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
    # Clear the line of a progress bar, if there is one, and show the cursor again.
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
