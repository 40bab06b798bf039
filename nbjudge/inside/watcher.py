"""The process that watches over one child: sets it up, enforces its limits, reports its end."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import traceback
from time import monotonic

from nbjudge.inside import child, isolation, linux
from nbjudge.inside.processes import Proc, Process
from nbjudge.inside.request import MESSAGE, Request

#: Seconds between two checks of what the processes use.
PERIOD = 0.05

#: After memory was measured exactly, the next time comes after this many times what that took.
MEASURING = 20

#: Seconds between the end of a submission's time and the end of its processes. The grader itself
#: stops cells; this is for when it does not.
GRACE = 5.0


class Watcher:
    """Sets up one child, and is the only process that knows how it ended.

    The grader sends ``kill`` or ``usage`` over ``status`` and receives events, each a JSON object.
    When its end closes, the child is killed.
    """

    def __init__(self, request: Request, status: socket.socket, talk: socket.socket | None):
        self.request, self.status, self.talk = request, status, talk
        self.proc = Proc()
        self.began = monotonic()
        self.peak = 0
        #: When memory may be measured exactly again.
        self.measure = 0.0
        self.cpu = 0.0
        self.why = ""
        self.child = 0

    def run(self, filter_program: bytes) -> None:
        """Run from the fork to the child's end."""
        self._lay_out()
        reports, tell = socket.socketpair()
        watcher = 0 if self.request.isolated else os.getpid()
        self.child = os.fork()
        if not self.child:
            reports.close()
            child.run(self.request, self.talk, tell, watcher, filter_program)
        tell.close()
        if self.talk:
            self.talk.close()
        ended = os.pidfd_open(self.child)
        self._tell({"event": "forked", "seconds": monotonic() - self.began}, ended)
        self._watch(reports, ended)
        result = self._wait_for_child()
        self._tell({"event": "died", **self._usage(), **result})

    def _lay_out(self) -> None:
        request = self.request
        files = [(name, self._received(size)) for name, size in request.files]
        if request.isolated:
            isolation.enter(request.slot, request.limits)
        else:
            linux.adopt_orphans()
            os.makedirs(request.home, exist_ok=True)
        for name, content in files:
            path = os.path.join(request.home, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(content)

    def _received(self, size: int) -> bytes:
        pieces, left = [], size
        while left:
            piece = self.status.recv(MESSAGE)
            if not piece:
                raise EOFError("the grader went away")
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def _watch(self, reports: socket.socket, ended: int) -> None:
        """Watch until the child is dead."""
        poll = select.poll()
        for channel in (reports, ended, self.status):
            poll.register(channel, select.POLLIN)
        news = reports.fileno()
        look = monotonic()
        while True:
            wait = max(0.0, look + PERIOD - monotonic())
            events = {number for number, _ in poll.poll(wait * 1000)}
            if news in events:
                poll.unregister(reports)
                news = -1
                self._started(reports)
            if self.status.fileno() in events and not self._asked():
                poll.unregister(self.status)
                self._kill("killed")
            if ended in events:
                return
            if monotonic() >= look + PERIOD:
                self._look()
                look = monotonic()

    def _started(self, reports: socket.socket) -> None:
        """Handle the child's report: it is set up and waits for a reply, or could not be set up."""
        sent = reports.recv(4096)
        if sent == b".":
            reserved = self.proc.address_space(self.child)
            isolation.limit_memory(self.request.limits, self.child, reserved)
            if self.request.isolated:
                isolation.seal(self.request.slot)
            reports.send(b".")
            self._tell({"event": "ready", "seconds": monotonic() - self.began})
        elif sent:
            self.why = "failed"
            self._tell({"event": "failed", "message": sent[1:].decode(errors="replace")})
        reports.close()

    def _asked(self) -> bool:
        """Answer the grader; false if it wants the child dead or has gone."""
        try:
            message = self.status.recv(64)
        except ConnectionError:
            return False
        if message == b"usage":
            self._look()
            # A child that has just been killed is still seen alive for a moment.
            self._tell({"event": "usage", "why": self.why, **self._usage()})
        return message == b"usage"

    def _look(self) -> None:
        """Check what the processes use; kill them if that is too much."""
        limits = self.request.limits
        alive = self.proc.below(self.child)
        if not alive:
            return
        self.cpu = max(self.cpu, sum(p.cpu_seconds for p in alive))
        # Shared pages are counted for each process here: that is fast, and never too low.
        memory = sum(self.proc.resident(p.pid) for p in alive)
        most = limits.memory_mb * 2**20
        if memory > most:
            memory = self._exactly(alive)
        self.peak = max(self.peak, memory)
        if memory > most:
            self._kill("memory")
        # Data in a socket counts as no process's memory, and takes long to put there.
        elif self.request.isolated and self.proc.sockets(self.child) > limits.files:
            self._kill("sockets")
        elif self.cpu > limits.submission_seconds + limits.reserve_seconds:
            self._kill("cpu")
        elif monotonic() - self.began > (
            limits.submission_seconds + limits.reserve_seconds + GRACE
        ):
            self._kill("time")

    def _exactly(self, alive: list[Process]) -> int:
        """Bytes of memory, each shared page counted once; 0 if they were counted just now.

        Copies of a kernel share most of its memory, and to count takes milliseconds for each.
        """
        began = monotonic()
        if began < self.measure:
            return 0
        memory = sum(self.proc.proportional(p.pid) for p in alive)
        self.measure = monotonic() + MEASURING * (monotonic() - began)
        return memory

    def _kill(self, why: str) -> None:
        self.why = self.why or why
        os.kill(self.child, signal.SIGKILL)

    def _wait_for_child(self) -> dict:
        """Reap the child and clean up after it; return how it ended."""
        _, status, used = os.wait4(self.child, 0)
        self.cpu = max(self.cpu, used.ru_utime + used.ru_stime)
        self.peak = max(self.peak, used.ru_maxrss * 1024)
        if not self.request.isolated:
            self._sweep()
            shutil.rmtree(self.request.home, ignore_errors=True)
        code = os.waitstatus_to_exitcode(status)
        if not self.why:
            if code == -signal.SIGXCPU or (
                code == -signal.SIGKILL and self.cpu >= self.request.limits.submission_seconds
            ):
                self.why = "cpu"
            elif code == -signal.SIGKILL:  # not from inside, so the machine is out of memory
                self.why = "memory"
            else:
                self.why = "crashed" if code < 0 else "exited"
        return {"why": self.why, "code": code}

    def _sweep(self) -> None:
        """Kill what has outlived its parent, which only namespaces would do otherwise."""
        me = os.getpid()
        while left := [p.pid for p in self.proc.below(me) if p.pid != me]:
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            try:
                while os.waitpid(-1, 0)[0]:
                    pass
            except ChildProcessError:
                continue

    def _usage(self) -> dict:
        return {
            "asleep": all(self.proc.asleep(p.pid) for p in self.proc.below(self.child)),
            "cpu_seconds": self.cpu,
            "peak_memory_mb": self.peak / 2**20,
            "wall_seconds": monotonic() - self.began,
        }

    def _tell(self, event: dict, *files: int) -> None:
        try:
            socket.send_fds(self.status, [json.dumps(event).encode()], files)
        except OSError:  # nobody listens any more, as the next check will find
            return


def watch(
    request: Request, status: socket.socket, talk: socket.socket | None, filter_program: bytes
) -> None:
    """Run as the watcher of one child; never returns."""
    watcher = Watcher(request, status, talk)
    try:
        watcher.run(filter_program)
    except BaseException:
        why = {"event": "failed", "message": traceback.format_exc()[-3000:]}
        watcher._tell(why)
        if watcher.child:
            os.kill(watcher.child, signal.SIGKILL)
    finally:
        os._exit(0)
