"""One kernel of a learner's notebook, and the copies of it in which tests run."""

from __future__ import annotations

import os
import select
import signal
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

from nbjudge.inside.processes import waited
from nbjudge.inside.wire import SERVE, Channel, WireError
from nbjudge.judge.pump import CellRun, Pump

#: Seconds that a kernel may take to start: a busy machine is slow.
READY_SECONDS = 60.0

#: Seconds that an idle kernel may take to connect to the examiner, or to return from it.
CONNECT_SECONDS = 4.0

#: A called kernel that sleeps continuously for this many seconds will not connect. One that waits
#: for a processor on a busy machine does not count as asleep.
ASLEEP_SECONDS = 1.0


#: Copies of a kernel besides those that wait for a test: one that runs, and some to be reaped.
SPARE = 8


class NoKernel(Exception):
    """The kernel is gone or does not respond; the message says why."""


class Snapshot:
    """A copy of a learner's kernel; stopped until it is connected to the examiner or copied itself.

    Parameters
    ----------
    learner:
        The kernel that it is a copy of.
    wire:
        The connection to it.
    """

    def __init__(self, learner: LearnersKernel, wire: socket.socket):
        self.learner, self.wire = learner, wire
        self._process = _peer(wire)
        #: Whether it can be ended by itself, without the kernel.
        self.can_be_ended = self._process >= 0
        self._signal(signal.SIGSTOP)

    def copy(self) -> Snapshot:
        """Copy it.

        Raises
        ------
        NoKernel
            If it does not answer.
        """
        self.go_on()
        copy = self.learner.copied(self.wire)
        self._signal(signal.SIGSTOP)
        return copy

    def go_on(self) -> None:
        """Let it run."""
        self._signal(signal.SIGCONT)

    def waits_for(self, sock: socket.socket, seconds: float) -> bool:
        """Wait briefly until ``sock`` is readable, discarding what the kernel puts out."""
        return self.learner.waits_for(sock, seconds)

    def waited(self) -> float:
        """Seconds that it has waited for a processor."""
        return waited(self._process) if self._process >= 0 else 0.0

    def end(self) -> None:
        """Kill it."""
        self._signal(signal.SIGKILL)
        self.wire.close()
        if self._process >= 0:
            os.close(self._process)
            self._process = -1

    def _signal(self, number: int) -> None:
        if self._process >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._process, number)


class LearnersKernel:
    """A kernel without what is ``forbidden``, and the cells that it has run.

    Parameters
    ----------
    nursery, limits, files:
        What forks it, its resource limits, and its files.
    forbidden:
        The names of what is removed from it.
    seed:
        The seed of its random numbers.
    tests:
        Number of tests that it may be copied for.
    """

    def __init__(
        self,
        nursery: Any,
        limits: Any,
        forbidden: tuple[str, ...],
        files: dict,
        seed: int,
        tests: int = 0,
    ):
        self.limits, self.forbidden = limits, forbidden
        self.kernel = nursery.kernel(
            limits, forbidden=forbidden, files=files, seed=seed, copies=tests + SPARE
        )
        self.done: set[int] = set()
        #: By the index of a test cell: the kernel as it was there.
        self.snapshots: dict[int, Snapshot] = {}
        self._here: Snapshot | None = None
        self._sealed = False
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

    def run(self, source: str, seconds: float, flood: float = 1.0) -> CellRun:
        """Run a cell, as :meth:`nbjudge.judge.pump.Pump.run` does."""
        self.up()
        self.leave()
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
        self.wire = self._accepted(lambda: self.pump.ended(self._serving, 0))
        return True

    def _accepted(self, over: Callable[[], bool]) -> socket.socket:
        """The next connection from a process of the kernel, unless ``over`` says to give up."""
        deadline = monotonic() + CONNECT_SECONDS
        awake, used = monotonic(), -1.0
        while True:
            self._listener.settimeout(0.1)
            try:
                return self._listener.accept()[0]
            except TimeoutError:
                if not self.kernel.alive():
                    raise NoKernel("the kernel has ended") from None
                now = self.kernel.usage()
                if not now.asleep or now.cpu_seconds > used:
                    awake, used = monotonic(), now.cpu_seconds
                asleep = monotonic() > awake + ASLEEP_SECONDS
                if asleep or monotonic() > deadline or over():
                    raise NoKernel("the kernel does not answer the tests") from None

    def here(self) -> Snapshot:
        """A copy for the tests at this place, the same until another cell runs or :meth:`leave`.

        Raises
        ------
        NoKernel
            If the kernel cannot be copied.
        """
        if self._here is None:
            self._here = self.snapshot()
        return self._here

    def leave(self) -> None:
        """End the copy for the tests at this place, if there is one."""
        if self._here is not None:
            self._here.end()
            self._here = None

    def snapshot(self) -> Snapshot:
        """Copy the kernel as it is now.

        Raises
        ------
        NoKernel
            If it cannot be copied.
        """
        self.connect()
        return self.copied(self._wire())

    def copied(self, wire: socket.socket) -> Snapshot:
        """Copy the process at the other end of ``wire``.

        Raises
        ------
        NoKernel
            If it does not answer.
        """
        channel = Channel(wire, 1 << 10)
        asked = {"id": 0, "verb": "copy", "target": None, "forbidden": [], "fields": {}}
        try:
            channel.send(asked, CONNECT_SECONDS)
            copy = Snapshot(self, self._accepted(lambda: False))
            try:
                channel.receive(CONNECT_SECONDS)
            except BaseException:
                copy.end()
                raise
        except WireError:
            raise NoKernel("the kernel does not answer the tests") from None
        return copy

    def seal(self) -> None:
        """Stop it and hear nothing more from it; its copies can still be used."""
        if not self._sealed:
            self._sealed = True
            self.leave()
            self.kernel.pause()
            self.pump.close()

    def waits_for(self, sock: socket.socket, seconds: float) -> bool:
        """Wait briefly until ``sock`` is readable, discarding what the kernel puts out."""
        if not self._sealed:
            return self.pump.waits_for(sock, seconds)
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(max(0.0, min(seconds, 1.0)) * 1000))

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

    def why_gone(self, briefly: bool = False) -> str:
        """How a copy of it ended: with the kernel, or by itself."""
        self.kernel.usage()  # its watcher answers, and says if it is killing the kernel just now
        return self.why_dead(briefly) if not self.kernel.alive() else "Its process ended."

    def why_dead(self, briefly: bool = False) -> str:
        """How the kernel ended, in words; if ``briefly``, without its exit code."""
        self.kernel.usage()
        deadline = monotonic() + 0.5
        while self.kernel.alive() and monotonic() < deadline:
            sleep(0.01)
        death = self.kernel.death()
        reason = death.briefly if briefly else death.message
        return reason or "It closed its connection."

    def end(self) -> Any:
        """Kill it and all its children; returns the resources used."""
        used = self.kernel.usage()
        self.leave()
        for snapshot in self.snapshots.values():
            snapshot.end()
        self.snapshots.clear()
        self.pump.close()
        for held in (self.wire, self._listener):
            if held is not None:
                held.close()
        self.kernel.kill()
        return used


#: A socket's option, which Python does not name: a descriptor of the process that has connected.
_PEERPIDFD = 77


def _peer(wire: socket.socket) -> int:
    """A descriptor of the process at the other end; -1 before Linux 6.5."""
    try:
        return wire.getsockopt(socket.SOL_SOCKET, _PEERPIDFD)
    except OSError:
        return -1


def _listen(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    # The kernel may run as another user; no one else can see the folder.
    os.chmod(path, stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
    listener.listen(4)
    return listener
