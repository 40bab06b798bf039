"""The process that checks a learner's notebook: it runs cells and tests, and reports on each.

Reports are lines of JSON in a file.

It is started with a folder as its argument, loads what it needs, waits for a line on its standard
input, reads ``FOLDER/work.json``, and exits when its standard input is closed.
"""

from __future__ import annotations

import _thread
import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from nbjudge.desk import STUCK
from nbjudge.desk.messages import (
    Begun,
    Done,
    Event,
    Finished,
    Loaded,
    Prepare,
    RunCell,
    RunTest,
    Work,
)
from nbjudge.inside.messages import from_json, to_json
from nbjudge.inside.testing import learner
from nbjudge.inside.wire import TimedOut
from nbjudge.intake import cells
from nbjudge.judge.errors import OUT_OF_TIME
from nbjudge.judge.examiner import Examiner
from nbjudge.judge.known import Known
from nbjudge.judge.messages import Ask, Finding, Open, Step
from nbjudge.judge.remote import Link

#: Seconds that interrupted code may take to stop.
PATIENCE = 2.0


class Alarm:
    """Interrupts the main thread at a time limit, and exits the process if that does not help.

    It also works without signals, as on Windows, where an interrupt waits for the next Python
    instruction.
    """

    def __init__(self) -> None:
        self.over = False
        self._due, self._number = float("inf"), 0
        self._changed = threading.Condition()
        threading.Thread(target=self._watch, daemon=True).start()

    @contextlib.contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Interrupt the body after ``seconds``; ``over`` says whether that happened."""
        with self._changed:
            self.over, self._due = False, monotonic() + seconds
            self._number += 1
            self._changed.notify()
        try:
            yield
        except KeyboardInterrupt:
            if not self.over:
                raise
        finally:
            self._end()

    def _end(self) -> None:
        while True:
            try:
                with self._changed:
                    self._due = float("inf")
                    self._number += 1
                if self.over:  # the body may have ended just before the interrupt
                    sleep(0.05)
                return
            except KeyboardInterrupt:
                continue

    def _watch(self) -> None:
        with self._changed:
            while True:
                left = self._due - monotonic()
                if left > 0:
                    self._changed.wait(min(left, 3600.0))
                    continue
                self.over, interrupted = True, self._number
                _interrupt()
                end = monotonic() + PATIENCE
                while self._number == interrupted and monotonic() < end:
                    self._changed.wait(0.05)
                if self._number == interrupted:
                    os._exit(STUCK)


def _interrupt() -> None:
    """Raise ``KeyboardInterrupt`` in the main thread."""
    if hasattr(signal, "pthread_kill"):  # this also interrupts time.sleep
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


class Nowhere(io.TextIOBase):
    """A text stream that discards everything."""

    def writable(self) -> bool:
        """Always true."""
        return True

    def write(self, text: str) -> int:
        """Discard the text and return its length."""
        return len(text)


class Direct:
    """A channel within this process: each request is answered as it is sent."""

    def __init__(self, names: dict[str, Any], clock: Alarm) -> None:
        self.names, self.clock = names, clock
        self.objects: dict[int, Any] = {}
        self.reply: dict[str, Any] = {}

    def send(self, value: dict[str, Any], seconds: float | None = None) -> None:
        """Answer the request within this many seconds."""
        request, limit = value, float("inf") if seconds is None else seconds
        if request["verb"] == "begin":
            self.objects.clear()
        kind, answer = "mistake", ""
        with contextlib.redirect_stdout(Nowhere()), self.clock.limit(limit):
            kind, answer = learner._answered(request, self.names, self.objects)
        if self.clock.over:
            raise TimedOut("the call took too long")
        self.reply = {"id": request["id"], "is": kind, "value": answer}

    def receive(self, seconds: float | None = None, more: Any = None) -> dict[str, Any]:
        """The reply to the last request."""
        return self.reply

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


class DirectLink(Link):
    """The verbs, executed in this process."""

    def __init__(self, names: dict[str, Any], clock: Alarm) -> None:
        super().__init__(Direct(names, clock), 0)


class NotebookRunner:
    """Runs the steps of a job in order.

    Parameters
    ----------
    tell:
        Called with each event.
    """

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self.tell, self.clock = tell, Alarm()
        self.shell = _shell()
        self.examiner = Examiner()

    def run(self, work: Work) -> None:
        """Run the remaining steps, after rerunning those that an earlier process completed."""
        self.examiner.open(Open(seed=work.seed))
        self.examiner.known = Known(work.known)
        learner.seed_all(work.seed)
        slow, done = set(work.slow), set(work.done)
        end = monotonic() + work.seconds
        for at, step in enumerate(work.steps):
            if at < work.start and at not in done:
                continue
            if monotonic() > end:
                return
            self.tell(Begun(at=at, again=at in done))
            finding: Finding | None = None
            match step:
                case Prepare():
                    finding = self._prepared(step.step)
                case RunCell():
                    finding = self._ran(step)
                case RunTest() if (exercise := cells.exercise_of(step.ask.name)) not in slow:
                    finding = self._tested(step.ask)
                    if finding.error == OUT_OF_TIME:
                        slow.add(exercise)
            self.tell(Done(at=at, again=at in done, finding=finding))

    def _prepared(self, step: Step) -> Finding:
        try:
            with contextlib.redirect_stderr(Nowhere()):
                self.examiner.prepare(step)
        except BaseException as error:
            return Finding(error=type(error).__name__, says=str(error))
        return Finding()

    def _ran(self, step: RunCell) -> Finding:
        nowhere = Nowhere()
        with (
            contextlib.redirect_stdout(nowhere),
            contextlib.redirect_stderr(nowhere),
            self.clock.limit(step.seconds),
        ):
            result = self.shell.run_cell(step.source, store_history=True)
        if self.clock.over:
            return Finding(error=OUT_OF_TIME)
        error = result.error_before_exec or result.error_in_exec
        if error is None:
            return Finding()
        try:
            says = str(error)
        except Exception:  # a learner's own exception class can raise in __str__
            says = ""
        return Finding(error=type(error).__name__, says=says[:5000])

    def _tested(self, ask: Ask) -> Finding:
        self.examiner.link = DirectLink(self.shell.user_ns, self.clock)
        return self.examiner.test(ask)


class QuietShell(InteractiveShell):
    """A shell that prints no errors and does not exit."""

    def enable_gui(self, gui: object = None) -> None:
        """Do nothing: there is no GUI."""

    def ask_exit(self) -> None:
        """Do nothing: ``exit()`` in a cell must not stop later cells."""

    def _showtraceback(self, etype: object, evalue: object, stb: object) -> None:
        """Do nothing: the error is in the result."""


def _shell() -> Any:
    """An IPython shell without history, settings, colours or a GUI."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    return QuietShell.instance(config=config)


def main(folder: str) -> None:
    """Load, wait for the job, run it, and exit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    out = os.open(Path(folder, "events.jsonl"), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def tell(event: Event) -> None:
        os.write(out, (to_json(event) + "\n").encode())

    worker = NotebookRunner(tell)
    learner.warm()  # so that one-time costs are not charged to the first call
    if not sys.stdin.buffer.readline():
        return
    parent = os.fdopen(os.dup(0), "rb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)

    def leave_with_parent() -> None:
        with contextlib.suppress(OSError):
            parent.read(1)
        os._exit(1)

    threading.Thread(target=leave_with_parent, daemon=True).start()
    work = from_json(Path(folder, "work.json").read_text("utf-8"), Work)
    tell(Loaded())
    worker.run(work)
    tell(Finished())
    os._exit(0)  # the notebook's threads and exit handlers must not delay it
