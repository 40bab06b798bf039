"""Stop what takes too long in this process."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def within(seconds: float, *, busy: bool = False) -> Iterator[None]:
    """Raise :class:`TimeoutError` in the body after this long.

    It limits nothing where the system cannot, as on Windows, or in another thread than the main.

    Parameters
    ----------
    seconds:
        The limit.
    busy:
        Whether only the time counts in which this process uses a processor.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return
    timer, number = (
        (signal.ITIMER_PROF, signal.SIGPROF) if busy else (signal.ITIMER_REAL, signal.SIGALRM)
    )

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(number, stop)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
