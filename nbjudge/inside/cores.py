"""One core for each nursery's learners, so that busy processes take no other nursery's time."""

from __future__ import annotations

import os
import socket


class Core:
    """A core that no other nursery of this user on this machine has taken.

    ``number`` is ``None`` if all are taken; the nursery's learners then share all cores.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        self._held = socket.socket(socket.AF_UNIX)
        for number in sorted(os.sched_getaffinity(0)):
            try:
                # An abstract address, not a file: it is free again however its process ends.
                self._held.bind(f"\0nbjudge-core-{os.getuid()}-{number}")
            except OSError:
                continue
            self.number = number
            return

    def free(self) -> None:
        """Release the core."""
        self._held.close()


def keep_to(number: int | None) -> None:
    """Pin this process and those it starts to this core; ``None`` pins them to none."""
    if number is not None:
        os.sched_setaffinity(0, {number})
