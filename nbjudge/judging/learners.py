"""One kernel of a learner's notebook: how far it has come, and how the examiner reaches it."""

from __future__ import annotations

import os
import socket
import stat
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

from nbjudge.inside.wire import SERVE, Channel, WireError
from nbjudge.judging.pump import Pump, Ran

#: How long a kernel may take to come up: a busy machine is slow.
READY_SECONDS = 60.0

#: How long a kernel that rests may take to come to the examiner, or back from there.
CONNECT_SECONDS = 4.0

#: A kernel that sleeps this long without a break, although it was called, does not come. One that
#: waits for a processor on a busy machine does not sleep.
ASLEEP_SECONDS = 1.0


class NoKernel(Exception):
    """The kernel is not there, or does not come when it is called; says why."""


class Learner:
    """A kernel made without the kinds ``forbidden``, and what of the notebook it has run.

    Parameters
    ----------
    nursery, limits, files:
        Where it is forked, what it may use, what it finds.
    forbidden:
        What it is made without.
    seed:
        Where its random numbers start.
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
        """Wait until the kernel is up.

        Raises
        ------
        RuntimeError
            If it does not come up: nothing of a learner's has run in it, so it is our fault.
        """
        if not self._up:
            if not self.pump.ready(READY_SECONDS):
                why = (
                    self.kernel.death().message or f"it did not answer within {READY_SECONDS:.0f} s"
                )
                raise RuntimeError(f"a kernel does not start: {why}")
            self._up = True

    def run(self, source: str, seconds: float, flood: float = 1.0) -> Ran:
        """Run a cell, as :meth:`nbjudge.judging.pump.Pump.run` does."""
        self.up()
        self.disconnect()
        return self.pump.run(source, seconds, flood)

    # -- at the examiner's service ---------------------------------------------------------------

    def connect(self) -> bool:
        """Have the kernel come to the examiner; whether it had to, or was there already.

        Raises
        ------
        NoKernel
            If it does not come.
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
        """See whether it answers the first question of a test.

        Raises
        ------
        NoKernel
            If it does not.
        """
        from nbjudge.judging.remote import Link, Lost  # which loads the course's libraries

        self.connect()
        try:
            # A copy: what asks closes it if the answer is none.
            Link(self._wire().dup(), 1 << 20).begin(0, CONNECT_SECONDS, float("inf"))
        except Lost as error:
            raise NoKernel(str(error)) from None

    def _wire(self) -> socket.socket:
        if self.wire is None:
            raise NoKernel("the kernel is not connected")
        return self.wire

    def disconnect(self) -> None:
        """End the examiner's service, so that cells can be run.

        Raises
        ------
        NoKernel
            If the kernel does not come back from it.
        """
        if not self._serving:
            return
        stop = {"id": 0, "verb": "stop", "target": None, "forbidden": [], "fields": {}}
        with suppress(WireError):
            Channel(self._wire()).send(stop, 1.0)
        number, self._serving = self._serving, ""
        self._wire().close()
        if not self.pump.ended(number, CONNECT_SECONDS):
            raise NoKernel("the kernel does not come back from a test")

    def why_dead(self, briefly: bool = False) -> str:
        """How the kernel ended, in words; ``briefly``, without the number that it ended with."""
        from nbjudge.sandbox.handles import WHY  # which needs Linux

        deadline = monotonic() + 0.5
        while self.kernel.alive() and monotonic() < deadline:
            sleep(0.01)
        death = self.kernel.death()
        said = WHY.get(death.why, "") if briefly else death.message
        return said or "It closed its connection."

    def end(self) -> Any:
        """Kill it, and all that it has started; gives what it used."""
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
    # The kernel may be another user's; nobody else sees the folder.
    os.chmod(path, stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    listener.listen(4)
    return listener
