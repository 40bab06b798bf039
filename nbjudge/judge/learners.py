"""One kernel of a learner's notebook: its progress, and its connection to the examiner."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

from nbjudge.inside.wire import SERVE, Channel, WireError
from nbjudge.judge.pump import Pump, Ran

#: Seconds that a kernel may take to start: a busy machine is slow.
READY_SECONDS = 60.0

#: Seconds that an idle kernel may take to connect to the examiner, or to return from it.
CONNECT_SECONDS = 4.0

#: A called kernel that sleeps continuously for this many seconds will not connect. One that waits
#: for a processor on a busy machine does not count as asleep.
ASLEEP_SECONDS = 1.0


class NoKernel(Exception):
    """The kernel is gone or does not respond; the message says why."""


class Learner:
    """A kernel without the kinds ``forbidden``, and the cells that it has run.

    Parameters
    ----------
    nursery, limits, files:
        What forks it, its resource limits, and its files.
    forbidden:
        The kinds that are removed from it.
    seed:
        The seed of its random numbers.
    """

    def __init__(
        self, nursery: Any, limits: Any, forbidden: tuple[str, ...], files: dict, seed: int
    ):
        self.limits, self.forbidden = limits, forbidden
        self.kernel = nursery.kernel(limits, forbidden=forbidden, files=files, seed=seed)
        self.done: set[int] = set()
        self._serving = ""
        self.wire: socket.socket | None = None
        try:
            self._listener = _listen(self.kernel.wire_path)
            self.pump = Pump(self.kernel, limits.output_kb * 1024)
        except BaseException:
            self.kernel.kill()
            raise
        self._up = False

    def up(self) -> None:
        """Wait until the kernel has started.

        Raises
        ------
        RuntimeError
            If it does not start: no learner's code has run in it, so it is our fault.
        """
        if not self._up:
            if not self.pump.ready(READY_SECONDS):
                why = (
                    self.kernel.death().message or f"it did not answer within {READY_SECONDS:.0f} s"
                )
                raise RuntimeError(f"a kernel does not start: {why}")
            self._up = True

    def run(self, source: str, seconds: float, flood: float = 1.0) -> Ran:
        """Run a cell, as :meth:`nbjudge.judge.pump.Pump.run` does."""
        self.up()
        self.disconnect()
        return self.pump.run(source, seconds, flood)

    # -- at the examiner's service ---------------------------------------------------------------

    def connect(self) -> bool:
        """Connect the kernel to the examiner; returns whether the connection is new.

        Raises
        ------
        NoKernel
            If it does not connect.
        """
        if self._serving:
            return False
        self.up()
        self._serving = self.pump.start(SERVE)
        deadline = monotonic() + CONNECT_SECONDS
        awake, used = monotonic(), -1.0
        while True:
            self._listener.settimeout(0.1)
            try:
                self.wire, _ = self._listener.accept()
                return True
            except TimeoutError:
                if not self.kernel.alive():
                    raise NoKernel("the kernel has ended") from None
                now = self.kernel.usage()
                if not now.asleep or now.cpu_seconds > used:
                    awake, used = monotonic(), now.cpu_seconds
                asleep = monotonic() > awake + ASLEEP_SECONDS
                if asleep or monotonic() > deadline or self.pump.ended(self._serving, 0):
                    raise NoKernel("the kernel does not answer the tests") from None

    def answers(self) -> None:
        """Check that it answers the first request of a test.

        Raises
        ------
        NoKernel
            If it does not.
        """
        from nbjudge.judge.remote import Link, Lost  # loads the course's libraries

        self.connect()
        try:
            # A duplicate: the link closes it if the reply is invalid.
            Link(self._wire().dup(), 1 << 20).begin(0, CONNECT_SECONDS, float("inf"))
        except Lost as error:
            raise NoKernel(str(error)) from None

    def _wire(self) -> socket.socket:
        if self.wire is None:
            raise NoKernel("the kernel is not connected")
        return self.wire

    def disconnect(self) -> None:
        """Stop serving the examiner, so that cells can be run.

        Raises
        ------
        NoKernel
            If the kernel does not return.
        """
        if not self._serving:
            return
        stop = {"id": 0, "verb": "stop", "target": None, "forbidden": [], "fields": {}}
        with suppress(WireError):
            Channel(self._wire()).send(stop, 1.0)
        number, self._serving = self._serving, ""
        self._wire().close()
        if not self.pump.ended(number, CONNECT_SECONDS):
            raise NoKernel("the kernel does not return from a test")

    def why_dead(self, briefly: bool = False) -> str:
        """How the kernel ended, in words; if ``briefly``, without its exit code."""
        from nbjudge.sandbox.handles import WHY  # needs Linux

        deadline = monotonic() + 0.5
        while self.kernel.alive() and monotonic() < deadline:
            sleep(0.01)
        death = self.kernel.death()
        said = WHY.get(death.why, "") if briefly else death.message
        return said or "It closed its connection."

    def end(self) -> Any:
        """Kill it and all its children; returns the resources used."""
        used = self.kernel.usage()
        self.pump.close()
        for held in (self.wire, self._listener):
            if held is not None:
                held.close()
        self.kernel.kill()
        return used


def _listen(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    # The kernel may run as another user; no one else can see the folder.
    os.chmod(path, stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    listener.listen(4)
    return listener
