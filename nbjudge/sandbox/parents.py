"""Starts a fork server, requests children from it, and tells whether it is still running."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from nbjudge.inside.child import environment
from nbjudge.inside.messages import pack, to_json
from nbjudge.inside.processes import Proc
from nbjudge.inside.program import program
from nbjudge.inside.request import MESSAGE, ServerSettings
from nbjudge.sandbox import jail
from nbjudge.sandbox.handles import readable
from nbjudge.sandbox.shelters import SandboxError

if TYPE_CHECKING:
    from nbjudge.judge.messages import KnownAnswers

#: Seconds that loading torch may take on a very busy machine.
LOADING = 180.0

#: Seconds that a server may take to exit once its socket is closed.
ENDING = 5.0


class Parent:
    """One fork server.

    Parameters
    ----------
    base, stage:
        The nursery's folder; an empty folder beside it.
    modules:
        The modules that it loads before it forks.
    sandboxed:
        Whether it runs in a jail.
    whole_package:
        Whether it can see the examiner's half of the package.
    locked:
        Locked cells by name, which the last of ``modules`` is to learn.
    known:
        Known wrong answers, which it learns with them.
    core:
        The only core on which it and its children run; ``None`` for any.

    Raises
    ------
    SandboxError
        If it does not start; the message holds its error output.
    """

    def __init__(
        self,
        base: str,
        stage: str,
        modules: Sequence[str],
        *,
        sandboxed: bool,
        whole_package: bool,
        locked: Mapping[str, str] | None = None,
        known: KnownAnswers | None = None,
        core: int | None = None,
    ) -> None:
        self._control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        reports, tell = os.pipe()
        settings = ServerSettings(
            control=far.fileno(),
            modules=list(modules),
            path=jail.import_path(),
            program=program(),
            locked=dict(locked or {}),
            known=pack(known) if known and known.wrong else b"",
            core=core,
        )
        server = jail.INSIDE / "start.py"
        started = [sys.executable, "-s", "-P", str(server)]
        self._pidfd = -1
        self.pid = 0
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as settings_file:
            settings_file.write(to_json(settings).encode())
            settings_file.seek(0)
            try:
                if sandboxed:
                    command = jail.command(
                        base, stage, started, whole_package=whole_package, info=tell
                    )
                else:
                    command = started
                self._process = subprocess.Popen(
                    command,
                    stdin=settings_file,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    env=environment(
                        base,
                        {"MPLCONFIGDIR": "/tmp/.matplotlib"} if sandboxed else {},
                    ),
                    pass_fds=(far.fileno(), tell),
                    start_new_session=True,
                )
            except BaseException:
                self._control.close()
                os.close(reports)
                raise
            finally:
                far.close()
                os.close(tell)
            try:
                self._started(reports, sandboxed)
            except KeyboardInterrupt:
                self.close()
                raise
            except BaseException as error:
                self.close()
                errors.seek(0)
                text = errors.read().decode(errors="replace").strip()[-2000:]
                raise SandboxError(text or f"A fork server did not start: {error}") from None
            finally:
                os.close(reports)

    def _started(self, reports: int, sandboxed: bool) -> None:
        """Wait until it has loaded, and find its PID."""
        end = monotonic() + LOADING
        if sandboxed:
            text = b""
            while piece := self._wait(reports, end) and os.read(reports, 4096):
                text += piece
            if text:
                self.pid = json.loads(text)["child-pid"]
        else:
            self.pid = self._process.pid
        if self.pid:
            self._pidfd = os.pidfd_open(self.pid)
        self._wait(self._control.fileno(), end)
        if not self._control.recv(MESSAGE):
            raise SandboxError("A fork server ended while it was loading")

    def _wait(self, number: int, end: float) -> bool:
        if not readable(number, end - monotonic()):
            raise SandboxError(f"A fork server did not load within {LOADING:.0f} s")
        return True

    def alive(self) -> bool:
        """Whether it is still running."""
        return self._process.poll() is None

    def ask(self, message: bytes, files: Sequence[int]) -> bool:
        """Request a child; false if the server has gone."""
        try:
            socket.send_fds(self._control, [message], files)
        except OSError:
            return False
        return True

    def memory_mb(self) -> float:
        """MiB that it and its children hold in memory; shared pages are counted once."""
        proc = Proc()
        try:
            return sum(proc.proportional(p.pid) for p in proc.below(self.pid)) / 2**20
        finally:
            proc.close()

    def close(self) -> None:
        """End it and all its children."""
        self._control.close()
        try:
            self._process.wait(ENDING if self.pid else 0.1)
        except subprocess.TimeoutExpired:
            if self._pidfd >= 0:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            else:
                self._process.kill()
            self._process.wait()
        if self._pidfd >= 0:
            os.close(self._pidfd)
            self._pidfd = -1
