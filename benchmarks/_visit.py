"""Processes that share a GPU for a while: timings alone, trainings side by side.

While a timing runs, trainings stand still, and go on after it. What a timing needs compiled is
compiled beforehand, beside them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping

#: How many trainings share the GPU.
SIDE_BY_SIDE = 4


class Process:
    """A program, whatever it starts, and the seconds for which it was not standing still."""

    def __init__(self, command: list[str], environment: Mapping[str, str]) -> None:
        self.own = subprocess.Popen(command, start_new_session=True, env=environment)
        self.before, self.since = 0.0, time.monotonic()
        self.stands = False

    @property
    def seconds(self) -> float:
        """For how long it has run."""
        return self.before + (0.0 if self.stands else time.monotonic() - self.since)

    def _tell(self, what: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.own.pid, what)

    def stand(self, still: bool) -> None:
        """Stand still, or go on."""
        if still != self.stands:
            self._tell(signal.SIGSTOP if still else signal.SIGCONT)
            self.before, self.since, self.stands = self.seconds, time.monotonic(), still

    def stop(self) -> None:
        """End it, and whatever it has started: they are one group of processes."""
        for what in (signal.SIGTERM, signal.SIGKILL):
            self._tell(what)
            self._tell(signal.SIGCONT)  # what stands still would not hear of it
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.own.wait(5)


class Visit:
    """Runs parts until the time is over.

    Parameters
    ----------
    alone, beside:
        Names of the parts that measure times and of the others, each in the order in which they are
        to begin.
    warm:
        Those of ``alone`` that have something to compile.
    command:
        The program of a part, or of its compilation, by name and whether it is to compile only.
    environment:
        What it finds.
    ended:
        Is told of each part that has ended: its name, its exit status (``None`` if the time was
        over), and its minutes.
    """

    def __init__(
        self, alone: Iterable[str], beside: Iterable[str], warm: Iterable[str],
        command: Callable[[str, bool], list[str]], environment: Mapping[str, str],
        ended: Callable[[str, int | None, float], None],
    ) -> None:  # fmt: skip
        self.alone, self.beside, self.cold = list(alone), list(beside), list(warm)
        self.command, self.environment, self.ended = command, environment, ended
        #: What runs: the parts, and the compilations of those that wait.
        self.parts: dict[str, Process] = {}
        self.warming: dict[str, Process] = {}
        self.timed: str | None = None

    @property
    def waiting(self) -> list[str]:
        """The parts that have not begun."""
        return self.alone + self.beside

    def run(self, end: float) -> None:
        """Run all, until this moment of the monotonic clock."""
        try:
            while (self.waiting and time.monotonic() < end) or self.parts:
                over = time.monotonic() >= end
                if not over:
                    self._begin()
                time.sleep(0.05)
                self._look(over)
        finally:
            for process in (*self.parts.values(), *self.warming.values()):
                process.stop()

    def _start(self, name: str, warm: bool = False) -> Process:
        print(f"{name}: {'is compiled' if warm else 'begins'}", flush=True)
        return Process(self.command(name, warm), self.environment)

    def _begin(self) -> None:
        """Begin what can begin: first what measures times and has all that it needs."""
        if self.timed:
            return
        ready = [name for name in self.alone if name not in (*self.cold, *self.warming)]
        others = (*self.parts.values(), *self.warming.values())
        for process in others:
            process.stand(still=bool(ready))
        if ready:
            self.timed = ready[0]
            self.alone.remove(self.timed)
            self.parts[self.timed] = self._start(self.timed)
            return
        if self.cold and not self.warming:
            name = self.cold.pop(0)
            self.warming[name] = self._start(name, warm=True)
        while self.beside and len(self.parts) < SIDE_BY_SIDE:
            name = self.beside.pop(0)
            self.parts[name] = self._start(name)

    def _look(self, over: bool) -> None:
        """Take note of what has ended; end the rest if the time is over."""
        for name, process in list(self.warming.items()):
            if process.own.poll() is not None:
                del self.warming[name]
                print(f"{name}: compiled in {process.seconds / 60:.1f} min", flush=True)
        for name, process in list(self.parts.items()):
            if (code := process.own.poll()) is None and not over:
                continue
            if code is None:
                process.stop()
            del self.parts[name]
            self.timed = None if name == self.timed else self.timed
            self.ended(name, code, process.seconds / 60)
