"""Use one nursery's fork servers from several processes, so that each is loaded once.

A thread of the process that started them answers on a socket in a folder. Whoever can reach the
folder gets their control sockets. What they fork ends with whoever requested it.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nbjudge.inside.request import MESSAGE
from nbjudge.sandbox.parents import LOADING, Server
from nbjudge.sandbox.shelters import SandboxError

if TYPE_CHECKING:
    from nbjudge.sandbox.nursery import Nursery

#: The socket's name in its folder.
NAME = "lender"


@dataclass(frozen=True)
class Lent:
    """What was borrowed: the nursery's folders, a number of one's own, the servers by kind."""

    base: str
    stage: str
    number: int
    servers: Mapping[str, Server]


class Lender:
    """Starts a nursery's parents and lends them; a context manager that ends them.

    If they do not start, it lends nothing, and whoever asks has to start his own.

    Parameters
    ----------
    nursery:
        The nursery, not yet entered.
    folder:
        Where borrowers ask; nobody else may be able to enter it.
    """

    def __init__(self, nursery: Nursery, folder: Path) -> None:
        self._nursery = nursery
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with _short(folder) as path:
            self._listener.bind(path)
        self._listener.listen(64)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Lender:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _serve(self) -> None:
        with self._listener, self._nursery as nursery:
            try:
                nursery.start()
                number = 0
                while True:
                    asking, _ = self._listener.accept()
                    with asking, contextlib.suppress(OSError):
                        number += 1
                        facts, numbers = nursery.lend()
                        message = json.dumps({**facts, "number": number}).encode()
                        socket.send_fds(asking, [message], numbers)
            except (OSError, SandboxError):  # it was shut down, or there is nothing to lend
                return


def borrow(folder: Path) -> Lent | None:
    """What is lent in this folder; ``None`` if nothing is."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        asking.settimeout(LOADING)
        try:
            with _short(folder) as path:
                asking.connect(path)
            message, numbers, _, _ = socket.recv_fds(asking, MESSAGE, 16)
        except OSError:
            return None
    if not message:
        return None
    facts = json.loads(message)
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    servers = {
        kind: Server(socket.socket(fileno=control), pid, pidfd)
        for (kind, pid), (control, pidfd) in zip(facts["pids"].items(), pairs, strict=True)
    }
    return Lent(facts["base"], facts["stage"], facts["number"], servers)


@contextlib.contextmanager
def _short(folder: Path) -> Iterator[str]:
    """The socket's path by way of /proc: a socket's path has 107 characters at most."""
    number = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{number}/{NAME}"
    finally:
        os.close(number)
