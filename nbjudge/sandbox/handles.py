"""The grader's handle on a forked child: whether it lives, what it used, how it ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
from dataclasses import dataclass
from time import monotonic
from typing import Any, Self

from nbjudge.inside.processes import waited
from nbjudge.inside.request import MESSAGE, Request
from nbjudge.sandbox.shelters import SandboxError

#: Why a child is dead → the message about it.
WHY = {
    "memory": "It used more memory than allowed.",
    "cpu": "It used more processor time than allowed.",
    "time": "It ran longer than allowed.",
    "sockets": "It opened more sockets than allowed.",
    "killed": "It was stopped by the grader.",
    "crashed": "It crashed.",
    "exited": "It exited by itself.",
    "failed": "It could not be set up.",
}


def readable(number: int, seconds: float) -> bool:
    """Whether a file descriptor becomes readable within ``seconds``."""
    poll = select.poll()  # unlike select(), it takes descriptors of any size
    poll.register(number, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))


@dataclass(frozen=True)
class Death:
    """How a child ended.

    Attributes
    ----------
    why:
        A key of :data:`WHY`; empty while it lives.
    message:
        The same in words, with the signal, exit code or error if there was one.
    """

    why: str
    message: str

    @property
    def briefly(self) -> str:
        """The message without signal, exit code or error."""
        return WHY.get(self.why, "")


@dataclass(frozen=True)
class Usage:
    """What all processes of a child used together.

    ``cpu_seconds`` of processor time; ``peak_memory_mb``, the largest resident memory seen,
    including what is shared with the fork server; ``wall_seconds`` since the fork. ``asleep`` says
    whether all of them, when checked, were waiting for something other than a CPU or a disk.
    """

    cpu_seconds: float = 0.0
    peak_memory_mb: float = 0.0
    wall_seconds: float = 0.0
    asleep: bool = False


class Child:
    """A forked child; a context manager that kills it on leaving.

    Parameters
    ----------
    request:
        The request for it.
    status:
        The socket on which its watcher reports.
    """

    #: Seconds to wait for a watcher's answer; many, in case the machine is very busy.
    PATIENCE = 60.0

    def __init__(self, request: Request, status: socket.socket) -> None:
        self._request, self._status = request, status
        self._pidfd = -1
        self._ready = False
        self._ended: dict[str, Any] = {}
        self._failure = ""
        self._usage = Usage()
        self._asked = 0
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def wait_ready(self) -> bool:
        """Wait until it is set up and running; false if it did not get that far."""
        end = monotonic() + self.PATIENCE
        while not self._ready and self._hear(end - monotonic()):
            pass
        return self._ready

    def wait_forked(self) -> bool:
        """Wait until it is a process; false if nobody answered, so its fork server must be dead.

        Raises
        ------
        SandboxError
            If its namespaces could not be created.
        """
        end = monotonic() + self.PATIENCE
        while self._pidfd < 0 and self._hear(end - monotonic()):
            pass
        if self._pidfd < 0:
            self.kill()
            if self._failure:
                raise SandboxError(self._failure)
            return False
        return True

    def _hear(self, seconds: float) -> bool:
        """Receive one message from the watcher; false if none came or the watcher has gone."""
        if self._closed or not readable(self._status.fileno(), seconds):
            return False
        try:
            text, files, _, _ = socket.recv_fds(self._status, MESSAGE, 1)
        except ConnectionError:
            text, files = b"", []
        if not text:
            self._close()
            return False
        event = json.loads(text)
        kind = event.pop("event")
        if kind == "forked":
            (self._pidfd,) = files
        elif kind == "ready":
            self._ready = True
        elif kind == "failed":
            self._failure = event["message"]
        elif kind in ("usage", "died"):
            self._usage = Usage(**{name: event.pop(name) for name in Usage.__dataclass_fields__})
            self._ended = event
        return True

    def _close(self) -> None:
        """Release what the grader held, once nothing of the child is left."""
        if self._closed:
            return
        self._closed = True
        self._status.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
        shutil.rmtree(self._request.slot.path, ignore_errors=True)

    def _signal(self, number: int) -> None:
        if self._pidfd >= 0:
            try:
                signal.pidfd_send_signal(self._pidfd, number)
            except ProcessLookupError:
                return

    def stop(self) -> None:
        """Make it and all its processes end, without waiting; :meth:`kill` also waits."""
        if self._closed:
            return
        try:
            self._status.send(b"kill")
        except OSError:  # its watcher has gone
            self._signal(signal.SIGKILL)

    def kill(self) -> None:
        """End it and all its processes; return when nothing of it is left."""
        if self._closed:
            return
        self.stop()
        end = monotonic() + self.PATIENCE
        while not self._closed and monotonic() < end:
            self._hear(end - monotonic())
        self._signal(signal.SIGKILL)
        self._close()

    def interrupt(self) -> None:
        """Interrupt it, as Ctrl-C does."""
        self._signal(signal.SIGINT)

    def pause(self) -> None:
        """Stop its first process, which still counts as alive."""
        self._signal(signal.SIGSTOP)

    def alive(self) -> bool:
        """Whether its first process is running."""
        while self._hear(0):
            pass
        if self._closed or self._ended.get("why"):
            return False
        return self._pidfd >= 0 and not readable(self._pidfd, 0)

    def waited(self) -> float:
        """Seconds that its first process has waited for a processor."""
        return waited(self._pidfd) if self._pidfd >= 0 else 0.0

    def death(self) -> Death:
        """How it ended."""
        if self.alive():
            return Death("", "")
        end = monotonic() + self.PATIENCE
        while not self._ended.get("why") and self._hear(end - monotonic()):
            pass
        why, code = self._ended.get("why", "killed"), self._ended.get("code", 0)
        message = WHY[why]
        if why == "crashed":
            message = f"It crashed: {signal.strsignal(-code) or -code}."
        elif why == "exited" and code:
            message = f"It exited by itself with exit code {code}."
        elif why == "failed":
            message = f"{message} {self._failure}".strip()
        return Death(why, message)

    def usage(self) -> Usage:
        """What it has used so far."""
        if self.alive():
            before = self._usage
            with contextlib.suppress(OSError):  # its watcher goes just now
                self._status.send(b"usage")
            end = monotonic() + self.PATIENCE
            while self._usage is before and self._hear(end - monotonic()):
                pass
        return self._usage


class KernelProcess(Child):
    """A learner's kernel.

    Attributes
    ----------
    connection:
        What a Jupyter client needs, for ``load_connection_info``.
    wire_path:
        The socket on which the trusted side listens and to which the learner's side connects. It is
        not bound yet, and nothing in the kernel can bind it.
    """

    @property
    def connection(self) -> dict[str, Any]:
        """What a Jupyter client needs to talk to it."""
        return self._request.connection

    @property
    def wire_path(self) -> str:
        """The socket that connects it to the examiner."""
        return self._request.wire_path


class ExaminerProcess(Child):
    """A trusted child; ``socket`` is connected to the socket that the child was started with."""

    def __init__(self, request: Request, status: socket.socket, talk: socket.socket) -> None:
        super().__init__(request, status)
        self.socket = talk

    def _close(self) -> None:
        super()._close()
        self.socket.close()
