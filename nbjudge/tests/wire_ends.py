"""The other end of a link to a learner's process: an honest one, and one that lies."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nbjudge.inside.testing import learner
from nbjudge.inside.wire import Channel, dumps
from nbjudge.judge.remote import Link


@contextmanager
def honest(names: dict[str, object]) -> Iterator[Link]:
    """A link to a thread that answers for these names as a learner's process does."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=learner.answer, args=(Channel(theirs, names=True), names))
    thread.start()
    yield Link(ours, 1 << 20)
    ours.close()
    thread.join()
    theirs.close()


@contextmanager
def lying(answer: Callable[[dict], bytes]) -> Iterator[Link]:
    """A link to a thread that sends what ``answer`` makes of each question."""
    ours, theirs = socket.socketpair()

    def serve() -> None:
        channel = Channel(theirs, names=True)
        try:
            while True:
                theirs.sendall(answer(channel.receive()))
        except Exception:
            theirs.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield Link(ours, 1 << 16)
    finally:
        ours.close()
        thread.join()


def says(value: object, kind: str = "value") -> Callable[[dict], bytes]:
    """An honest frame around a value."""
    return lambda request: dumps({"id": request["id"], "is": kind, "value": value})
