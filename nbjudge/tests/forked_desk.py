"""The process that checks a notebook, forked from one that has loaded what it needs.

A check starts a Python that loads PyTorch, which takes longer than the rest of the check. Here one
process loads it for all checks of the tests of a course; everything else is as in a check.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from typing import IO

from nbjudge.desk import run as desk_run
from nbjudge.desk import worker
from nbjudge.inside.program import VARIABLE


class Loaded:
    """The processes that are forked, one for each course's settings; each started on first use.

    What a process loads depends on the settings: a course whose values are not PyTorch's has none.
    """

    def __init__(self) -> None:
        self.started: dict[str | None, tuple[subprocess.Popen, socket.socket]] = {}

    def popen(self, command: list[str], **how: object) -> subprocess.Popen | Forked:
        """In place of ``subprocess.Popen`` in :mod:`nbjudge.desk.run`."""
        if tuple(command[1:-1]) != ORIGINAL:  # a test has it run something else
            return subprocess.Popen(command, **how)
        settings = how["env"].get(VARIABLE)
        if settings not in self.started or self.started[settings][0].poll() is not None:
            ours, theirs = socket.socketpair()
            process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=how["env"],
            )
            theirs.close()
            self.started[settings] = process, ours
        return Forked(self.started[settings][1], command[-1], how)

    def close(self) -> None:
        """End the processes."""
        for process, ours in self.started.values():
            process.kill()
            process.wait()
            ours.close()


class Forked:
    """A fork that checks a notebook, as ``Popen`` shows a process."""

    def __init__(self, loaded: socket.socket, place: str, how: dict) -> None:
        self.returncode: int | None = None
        read, write = os.pipe()
        self._status_read, status_write = os.pipe()
        asked = json.dumps([place, str(how["cwd"]), how["env"]]).encode()
        descriptors = [read, how["stderr"].fileno(), status_write]
        socket.send_fds(loaded, [struct.pack("I", len(asked))], descriptors)
        loaded.sendall(asked)
        os.close(read)
        os.close(status_write)
        self.stdin: IO[bytes] = os.fdopen(write, "wb")
        self.pid = struct.unpack("i", os.read(self._status_read, 4))[0]

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        if self.returncode is None and select.select([self._status_read], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self) -> int:
        """The exit code, once it has ended."""
        if self.returncode is None:
            self.returncode = struct.unpack("i", os.read(self._status_read, 4))[0]
            os.close(self._status_read)
        return self.returncode

    def kill(self) -> None:
        """End it now. As with ``Popen``, it may be gone already, and its exit code not yet here."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


ORIGINAL = desk_run.PROGRAM


def main(asks: socket.socket) -> None:
    """Load what a check needs, and fork for each request until nobody asks."""
    import IPython.core.interactiveshell  # noqa: F401

    import nbjudge.judge.examiner
    import nbjudge.judge.known  # noqa: F401
    from nbjudge.inside.testing.learner import warm

    warm()
    gc.freeze()  # a fork that went through it for garbage would copy it
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        size, descriptors, _, _ = socket.recv_fds(asks, 4, 3)
        if not size:
            return
        asked = asks.recv(struct.unpack("I", size)[0], socket.MSG_WAITALL)
        if os.fork() == 0:
            asks.close()
            watch(*json.loads(asked), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def watch(
    place: str, folder: str, environment: dict, stdin: int, stderr: int, status_write: int
) -> None:
    """Fork the process, tell its number, wait, tell how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.close(status_write)
        os.dup2(stdin, 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(stderr, 2)
        os.closerange(3, 100)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["-c", place]
        sys.stdin = os.fdopen(0)
        worker.main(place)
        os._exit(0)
    os.close(stdin)
    os.write(status_write, struct.pack("i", pid))
    _, status = os.waitpid(pid, 0)
    os.write(status_write, struct.pack("i", os.waitstatus_to_exitcode(status)))
    os._exit(0)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
