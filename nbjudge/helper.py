"""A process of its own for whatever reads a learner's bytes outside the sandbox.

It parses, merges, compares, cleans and colours.

Nothing of a learner's runs there, but a file can be made to cost any amount of time or memory to
read. The process has limits of both for each step, and what it gives back is bounded. One that
comes to a limit is ended, and the next step has a new one. A step in which it ends otherwise is
done once more: a file is to blame for what it does twice.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import suppress
from typing import Any

import msgpack

from nbjudge.failure import GradingFailed
from nbjudge.workers import warm_up

#: Seconds of the processor that a step may take, and of the clock: a busy machine is slow.
SECONDS, CLOCK_SECONDS = 3, 300.0

#: MiB of memory that a step may take beyond what the process starts with.
MEMORY_MB = 1024

#: MiB that a step may give back.
RESULT_MB = 48

#: How a process ends that has come to the limit of memory.
_NO_MEMORY = 75


class TooMuch(RuntimeError):
    """A step came to one of the limits; the message completes the sentence "it ..."."""


class _Ended(Exception):
    """The process ended, and not by a limit."""


class Helper:
    """The process; a context manager. It is started at the first step."""

    def __init__(self, **opened: Any):
        self._opened = opened
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Any = None

    def __enter__(self) -> Helper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            self._pipe.close()
            if process.pid is not None:
                process.kill()
                process.join()

    def _start(self) -> None:
        # From the process that workers are forked from: it has loaded all of this.
        warm_up()
        context = multiprocessing.get_context("forkserver")
        for _ in range(2):  # somebody else may end the first, as in a step
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            with suppress(EOFError, OSError):
                self._process.start()
                theirs.close()
                self._pipe.send_bytes(msgpack.packb(self._opened))
                if self._pipe.poll(CLOCK_SECONDS) and self._pipe.recv_bytes():
                    return
            self.close()
        raise GradingFailed("The process that reads submissions does not start here.")

    def do(self, step: str, **given: Any) -> dict[str, Any]:
        """Have a step of :mod:`nbjudge.handling` done; gives back what it gives.

        Raises
        ------
        TooMuch
            If it takes more than the limits allow, or ends the process twice.
        GradingFailed
            If there can be no process.
        """
        packed = msgpack.packb({"step": step, "given": given})
        try:
            return self._ask(packed)
        except _Ended:
            # By somebody else, perhaps: a system that is short of memory ends any process.
            pass
        try:
            return self._ask(packed)
        except _Ended:
            raise TooMuch("ends the program that reads it") from None

    def _ask(self, packed: bytes) -> dict[str, Any]:
        if self._process is None:
            self._start()
        try:
            self._pipe.send_bytes(packed)
            if not self._pipe.poll(CLOCK_SECONDS):
                raise TooMuch(f"takes more than {CLOCK_SECONDS:.0f} s to be read")
            answer = msgpack.unpackb(self._pipe.recv_bytes(RESULT_MB << 20))
        except (EOFError, OSError):
            raise self._why_ended() from None
        except BaseException:
            self.close()
            raise
        if "broke" in answer:
            raise TooMuch(answer["broke"])
        return answer

    def _why_ended(self) -> Exception:
        process = self._process
        assert process is not None
        process.join(10)
        code = process.exitcode
        self.close()
        if code in (-signal.SIGPROF, -signal.SIGXCPU):
            return TooMuch(f"takes more than {SECONDS} s of computing to be read")
        if code == _NO_MEMORY:
            return TooMuch(f"takes more than {MEMORY_MB} MiB of memory to be read")
        if code is None:
            return TooMuch(f"comes to more than {RESULT_MB} MiB when it is read")
        return _Ended()


def _serve(pipe: Any) -> None:
    """What the process does until nobody asks any more."""
    from nbjudge import handling

    # Ctrl-C is for the process that asks: when it ends, so does this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit_memory()
    with suppress(EOFError, ConnectionError):
        desk = handling.Desk(**msgpack.unpackb(pipe.recv_bytes()))
        pipe.send_bytes(b"ready")
        while True:
            asked = msgpack.unpackb(pipe.recv_bytes())
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                packed = msgpack.packb(getattr(desk, asked["step"])(**asked["given"]))
            except MemoryError:
                os._exit(_NO_MEMORY)
            except Exception as error:
                packed = msgpack.packb({"broke": f"cannot be read ({type(error).__name__})"})
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send_bytes(packed)


def _limit_memory() -> None:
    import resource  # Windows has none, and grades nothing

    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (MEMORY_MB << 20),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
