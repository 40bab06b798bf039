"""A core for each nursery's learners: processes that spin take no other nursery's time."""

from __future__ import annotations

import os
import socket


class Core:
    """A core that no other nursery of this user on this machine has taken.

    ``number`` is ``None`` where all are taken; its learners then share all of them.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._held = socket.socket(socket.AF_UNIX)
        for number in sorted(os.sched_getaffinity(0)):
            try:
                # A name that is no file: it is free again when its process ends, however it does.
                self._held.bind(f"\0nbjudge-core-{os.getuid()}-{number}")
            except OSError:
                continue
            self.number = number
            return

    def free(self) -> None:
        """Let another nursery have it."""
        self._held.close()


def keep_to(number: int | None) -> None:
    """Keep this process and those it starts to this core; with ``None`` to none."""
    if number is not None:
        os.sched_setaffinity(0, {number})
