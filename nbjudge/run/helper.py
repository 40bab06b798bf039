"""A separate process for everything that reads a learner's bytes outside the sandbox.

It parses, merges, compares, sanitises and highlights.

No learner's code runs there, but a file can be crafted to take any amount of time or memory to
read. So each step has limits on both, and on the size of its result. A process that hits a limit
is killed, and the next step gets a new one. If it ends otherwise, the step is retried once: the
file is blamed only if that happens twice.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import suppress
from typing import Any, cast, get_args

from nbjudge.failure import GradingFailed
from nbjudge.inside.messages import pack, unpack
from nbjudge.intake import steps
from nbjudge.intake.messages import Broke, Opened, ReadingStep, Reply
from nbjudge.run.workers import warm_up

#: Limits of a step in seconds of processor time, and of wall time: a busy machine is slow.
SECONDS, CLOCK_SECONDS = 3, 300.0

#: MiB of memory that a step may use beyond what the process starts with.
MEMORY_MB = 1024

#: Maximum size of a step's result in MiB.
RESULT_MB = 48

#: Exit code of a process that hit the memory limit.
_NO_MEMORY = 75


class StepFailed(RuntimeError):
    """A step hit one of the limits; the message completes the sentence "it ..."."""


class _Ended(Exception):
    """The process ended without hitting a limit."""


class Helper:
    """The process, started at the first step; a context manager."""

    def __init__(self, opened: Opened):
        self._opened = opened
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Any = None

    def __enter__(self) -> Helper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None:
            self._pipe.close()
            if process.pid is not None:
                process.kill()
                process.join()

    def _start(self) -> None:
        # Forked from the same process as workers, which has loaded all of this.
        warm_up()
        context = multiprocessing.get_context("forkserver")
        for _ in range(2):  # something else may kill the first, as in a step
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            with suppress(EOFError, OSError):
                self._process.start()
                theirs.close()
                self._pipe.send_bytes(pack(self._opened))
                if self._pipe.poll(CLOCK_SECONDS) and self._pipe.recv_bytes():
                    return
            self.close()
        raise GradingFailed("The process that reads submissions does not start.")

    def do(self, step: ReadingStep[Reply]) -> Reply:
        """Take a step of :mod:`nbjudge.intake.messages` and return the reply.

        Raises
        ------
        StepFailed
            If it exceeds the limits, or kills the process twice.
        GradingFailed
            If the process cannot be started.
        """
        try:
            return self._ask(step)
        except _Ended:
            # Perhaps killed from outside: a system short of memory kills any process.
            pass
        try:
            return self._ask(step)
        except _Ended:
            raise StepFailed("crashes the program that reads it") from None

    def _ask(self, step: ReadingStep[Reply]) -> Reply:
        if self._process is None:
            self._start()
        try:
            self._pipe.send_bytes(pack(step))
            if not self._pipe.poll(CLOCK_SECONDS):
                raise StepFailed(f"takes more than {CLOCK_SECONDS:.0f} s to read")
            answer = unpack(self._pipe.recv_bytes(RESULT_MB << 20), step.gives, Broke)
        except (EOFError, OSError):
            raise self._why_ended() from None
        except BaseException:
            self.close()
            raise
        if isinstance(answer, Broke):
            raise StepFailed(answer.problem)
        return cast(Reply, answer)

    def _why_ended(self) -> Exception:
        process = self._process
        assert process is not None
        process.join(10)
        code = process.exitcode
        self.close()
        if code in (-signal.SIGPROF, -signal.SIGXCPU):
            return StepFailed(f"takes more than {SECONDS} s of processor time to read")
        if code == _NO_MEMORY:
            return StepFailed(f"takes more than {MEMORY_MB} MiB of memory to read")
        if code is None:
            return StepFailed(f"grows to more than {RESULT_MB} MiB when read")
        return _Ended()


def _serve(pipe: Any) -> None:
    """The process's main loop, which runs until the pipe is closed."""
    # Ctrl-C is for the parent process: when it ends, so does this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit_memory()
    with suppress(EOFError, ConnectionError):
        intake = steps.Intake(unpack(pipe.recv_bytes(), Opened))
        pipe.send_bytes(b"ready")
        while True:
            step = unpack(pipe.recv_bytes(), *get_args(steps.Steps))
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                packed = pack(intake.take(step))
            except MemoryError:
                os._exit(_NO_MEMORY)
            except Exception as error:
                packed = pack(Broke(problem=f"cannot be read ({type(error).__name__})"))
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send_bytes(packed)


def _limit_memory() -> None:
    import resource  # not on Windows, where nothing is graded

    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (MEMORY_MB << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
