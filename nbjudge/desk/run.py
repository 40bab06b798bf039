"""Start the process that checks a notebook, time it, and restart it if a cell ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import IO, cast, get_args

from nbformat import NotebookNode

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
from nbjudge.inside.limits import Limits
from nbjudge.inside.messages import Malformed, from_json, to_json
from nbjudge.inside.program import command_name, handed_on
from nbjudge.intake import cells
from nbjudge.judge import elsewhere, names, outcome
from nbjudge.judge.errors import GONE, OUT_OF_TIME
from nbjudge.judge.job import TestScore
from nbjudge.judge.messages import Ask, Finding, KnownAnswers, LearnersNames, SetUp

#: Seconds that loading torch may take on a very busy machine.
LOADING = 180.0

#: Seconds after a step's time limit at which a process that is still in it is killed.
GRACE = 5.0

#: Maximum number of times that the process is restarted before the notebook is abandoned.
MAX_RESTARTS = 4

#: Seconds between checks for messages from the process.
PERIOD = 0.02

#: Python arguments that run the process; its folder is the last argument.
PROGRAM = ("-P", "-c", "import sys, nbjudge.desk.worker as w; w.main(sys.argv[1])")

#: Message for a test that is not run because another test of its exercise timed out.
SKIPPED = "This test was not run: an earlier test of this exercise was stopped."


class CannotRun(RuntimeError):
    """The process did not start; the message says why, and what to do."""


@dataclass
class NotebookRun:
    """The result of running a notebook.

    Attributes
    ----------
    tests:
        The judgement of each test cell that was run, by grade id.
    stopped:
        Why each answer cell that stopped with an error did so, by grade id.
    flags:
        The flags raised, one line each.
    """

    tests: dict[str, TestScore] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)


class Desk:
    """The process; a context manager. It loads while the caller reads the notebook."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="nbjudge-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name)
        self._process: subprocess.Popen | None = None
        self._number = 0

    def __enter__(self) -> Desk:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._folder.cleanup()

    def run(
        self,
        notebook: NotebookNode,
        *,
        bound: Mapping[str, tuple[str, ...]],
        limits: Limits,
        seed: int,
        files: Mapping[str, bytes] | None = None,
        only: frozenset[str] | None = None,
        known: KnownAnswers | None = None,
    ) -> NotebookRun:
        """Run a notebook's cells in order, and its tests.

        Parameters
        ----------
        notebook:
            The notebook with the learner's answers.
        bound:
            The names bound by each answer cell's solution, by grade id.
        limits:
            Time limits for a call, a cell and the whole notebook.
        seed:
            The seed of random numbers and of the hidden tests' inputs.
        files:
            The problem set's files, by name.
        only:
            The grade ids of the tests to run; ``None``: all.
        known:
            The course's wrong answers, from :func:`nbjudge.intake.release.known_answers`.

        Raises
        ------
        CannotRun
            If the process does not start.
        """
        steps = list(_steps(notebook, bound, limits, only))
        ran = _Progress(steps, limits)
        restarts = 0
        while ran.next < len(steps):
            if self._process is None:
                self._start()
            work = Work(
                steps=steps,
                seed=seed,
                known=known or KnownAnswers(),
                start=ran.next,
                done=ran.done,
                slow=sorted(ran.slow),
                seconds=ran.seconds(),
            )
            self._tell(work, files)
            if self._watch(ran):
                ran.out_of_time()
                break
            restarts += 1
            if restarts > MAX_RESTARTS or ran.gave_up:
                ran.give_up()
        return ran.result(notebook)

    def _start(self) -> None:
        self._number += 1
        self._place = self.folder / str(self._number)
        home = self._place / "home"
        home.mkdir(parents=True)
        self._stderr = open(self._place / "stderr", "w+b")  # noqa: SIM115 - closed in _end
        try:
            self._process = subprocess.Popen(
                [sys.executable, *PROGRAM, str(self._place)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                cwd=home,
                env=_environment(self._place),
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise CannotRun(f"Python cannot be started: {error}") from None

    def _end(self) -> None:
        """Kill the process and, if the system can, its children."""
        if self._process is None:
            return
        if hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            _input_of(self._process).close()
        self._stderr.close()
        self._process = None

    def _tell(self, work: Work, files: Mapping[str, bytes] | None) -> None:
        for name, content in (files or {}).items():
            path = self._place / "home" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (self._place / "work.json").write_text(to_json(work), "utf-8")
        with suppress(OSError):  # if it has ended, _watch will notice
            assert self._process is not None
            stdin = _input_of(self._process)
            stdin.write(b"go\n")
            stdin.flush()

    def _watch(self, ran: _Progress) -> bool:
        """Follow the process; returns whether it came to the end of the notebook."""
        ready, due = False, monotonic() + LOADING
        events = _Events(self._place / "events.jsonl")
        process = self._process
        assert process is not None
        while True:
            ended = process.poll() is not None
            for event in events.new():  # after poll(), so that its last messages are not lost
                match event:
                    case Loaded():
                        ready = True
                    case Finished():
                        return True
                    case _:
                        ran.hear(event)
                due = monotonic() + ran.seconds_left()
            if ended or monotonic() > due:
                if not ready:
                    raise CannotRun(self._why_not(process.returncode if ended else None))
                ran.lost(process.returncode if ended else None)
                self._end()
                return False
            sleep(PERIOD)

    def _why_not(self, code: int | None) -> str:
        if code is None:
            return f"The process that runs the notebook did not start within {LOADING:.0f} s."
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return (
            "The process that runs the notebook did not start: "
            f"{lines[-1] if lines else f'exit code {code}'}\n"
            f"Install the course's packages in the environment that runs {command_name()}: "
            "pip install -r requirements-learner.txt"
        )


class _Events:
    """The events in a file that another process is writing."""

    def __init__(self, path: Path) -> None:
        self.path, self.at, self.rest = path, 0, b""

    def new(self) -> Iterator[Event]:
        """The new events; an incomplete line is kept for later, any other line left out."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self.at)
                content = file.read()
        except OSError:  # not there yet
            return
        self.at += len(content)
        *lines, self.rest = (self.rest + content).split(b"\n")
        for line in lines:
            with suppress(Malformed):
                yield cast(Event, from_json(line, *get_args(Event)))


class _Progress:
    """The progress of a notebook, over all processes that it took."""

    def __init__(self, steps: list[Prepare | RunCell | RunTest], limits: Limits) -> None:
        self.steps, self.limits = steps, limits
        self.next = 0
        self.at = -1
        self.again = False
        self.done: list[int] = []
        self.slow: set[str] = set()
        self.findings: dict[int, Finding | None] = {}
        self.gave_up = ""
        #: Cells and tests whose time ran out, and those in which the process ended.
        self.late: list[str] = []
        self.ended: list[str] = []
        self.end = monotonic() + limits.submission_seconds

    def seconds(self) -> float:
        """Seconds left for the whole notebook."""
        return self.end - monotonic()

    def seconds_left(self) -> float:
        """Seconds that the process may go without sending another message."""
        return (self._limit() if self.at >= 0 else self.limits.submission_seconds) + GRACE

    def _limit(self) -> float:
        """The time limit for the current step."""
        match self.steps[self.at]:
            case RunCell(seconds=seconds) | RunTest(ask=Ask(seconds=seconds)):
                return seconds
        return float(self.limits.submission_seconds)

    def hear(self, event: Begun | Done) -> None:
        """Process a message from the process."""
        if isinstance(event, Begun):
            self.at, self.again = event.at, event.again
            return
        if event.again:
            return
        at, finding = event.at, event.finding
        self.findings[at], self.next = finding, at + 1
        step, error = self.steps[at], finding.error if finding else ""
        if not isinstance(step, RunTest):
            if error != OUT_OF_TIME:
                self.done.append(at)
        elif error in (OUT_OF_TIME, GONE):
            self.slow.add(cells.exercise_of(step.ask.name))

    def lost(self, code: int | None) -> None:
        """Record that the process ended with this exit code, or had to be killed (``None``)."""
        if self.at < 0 or self.again:
            self.gave_up = "a cell that ran once cannot be run again"
            return
        if code is None or code == STUCK:
            seconds = f"{self._limit():g} s"
            says = f"This test was stopped after {seconds}: is there a loop that never ends?"
            finding = Finding(error=OUT_OF_TIME, says=says)
        else:
            how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            says = f"The process that runs the notebook ended here ({how})."
            finding = Finding(error=GONE, says=says)
        self.hear(Done(at=self.at, again=False, finding=finding))
        if self.at in self.done:  # rerunning it would end the next process too
            self.done.remove(self.at)
        self.at = -1

    def out_of_time(self) -> None:
        """The process ended by itself; if cells are left, the time was used up."""
        if self.next < len(self.steps):
            self.gave_up = f"the {self.limits.submission_seconds:g} s allowed were used up"

    def give_up(self) -> None:
        """Run nothing more."""
        self.gave_up = self.gave_up or "too many of its cells end the process that runs them"
        self.next = len(self.steps)

    def result(self, notebook: NotebookNode) -> NotebookRun:
        """The result, with messages for people."""
        ran = NotebookRun()
        for at, step in enumerate(self.steps):
            finding = self.findings.get(at)
            if isinstance(step, RunTest) or finding is None or not finding.error:
                continue
            name = step.name if isinstance(step, RunCell) else ""
            self._note(name, finding)
            if isinstance(step, RunCell) and step.answer:
                ran.stopped[name] = _why_stopped(step, finding)
        tests = {at: step for at, step in enumerate(self.steps) if isinstance(step, RunTest)}
        findings = {step.ask.name: self._finding(at) for at, step in tests.items()}
        messages = outcome.agreed(findings)
        for step in tests.values():
            name, finding = step.ask.name, findings[step.ask.name]
            self._note(name, finding)
            why = ran.stopped.get(cells.exercise_of(name), "")
            if finding.error == "Missing" and why:
                finding.says = outcome.why_missing(why)
            elif name in messages:
                finding.says = messages[name]
            finding = elsewhere.explained(finding, notebook, name)
            finding = outcome.settled(finding, step.points)
            _, score = outcome.scored(finding, step.points)
            message = outcome.message(finding, score, step.points)
            ran.tests[name] = TestScore(score=score, max_score=step.points, message=message)
        if self.late:
            ran.flags.append(f"ran out of time in {cells.listed(self.late)}")
        if self.ended:
            where = cells.listed(self.ended)
            ran.flags.append(f"the process that runs the notebook ended in {where}")
        if self.gave_up:
            ran.flags.append(f"the notebook was not run to the end: {self.gave_up}")
        return ran

    def _finding(self, at: int) -> Finding:
        """The finding in a test, also in one that was not run."""
        if at not in self.findings:
            says = f"This test was not run: {self.gave_up}."
            return Finding(error=outcome.NOT_RUN, says=says)
        return self.findings[at] or Finding(error=outcome.NOT_RUN, says=SKIPPED)

    def _note(self, name: str, finding: Finding) -> None:
        if finding.error == OUT_OF_TIME:
            self.late.append(name)
        elif finding.error == GONE:
            self.ended.append(name)


def _why_stopped(step: RunCell, finding: Finding) -> str:
    if finding.error == OUT_OF_TIME:
        return f"This cell was stopped after {step.seconds:g} s: is there a loop that never ends?"
    output = outcome.error(finding.error, finding.says)
    return outcome.why_stopped(NotebookNode(outputs=[output]))


def _steps(
    notebook: NotebookNode,
    bound: Mapping[str, tuple[str, ...]],
    limits: Limits,
    only: frozenset[str] | None,
) -> Iterator[Prepare | RunCell | RunTest]:
    """The steps in order, as in :class:`nbjudge.judge.session.Session`."""
    learners: set[str] = set()
    keeping = names.keeping(notebook)
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        name = cells.grade_id(cell)
        if cells.is_test(cell):
            if only is not None and name not in only:
                continue
            ask = Ask(
                name=name,
                source=cell.source,
                seconds=float(limits.cell_seconds),
                call_seconds=float(min(limits.call_seconds, limits.cell_seconds)),
                keep=cells.exercise_of(name) not in keeping,
            )
            yield RunTest(ask=ask, points=cells.points(cell))
            continue
        if cells.is_answer(cell):
            learners |= set(bound.get(name, ()))
            yield Prepare(step=LearnersNames(names=sorted(bound.get(name, ()))))
        elif cells.is_locked(cell):
            if names.used(cell.source) & learners:
                made = names.bound(cell.source)
                learners |= made
                yield Prepare(step=LearnersNames(names=sorted(made)))
            else:
                yield Prepare(step=SetUp(source=cell.source))
        locked = cells.is_locked(cell)
        yield RunCell(
            name=name or f"cell {number}",
            answer=cells.is_answer(cell),
            source=cell.source,
            seconds=float(limits.submission_seconds if locked else limits.cell_seconds),
        )


def _input_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    if process.stdin is None:
        raise OSError("the process takes no input")
    return process.stdin


def _environment(place: Path) -> dict[str, str]:
    """The caller's environment, adjusted so that a run does not differ from grading."""
    package = str(Path(__file__).resolve().parents[2])
    before = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        **handed_on(),
        "PYTHONPATH": os.pathsep.join([package, before] if before else [package]),
        "PYTHONIOENCODING": "utf-8",
        "PYTHONHASHSEED": "0",
        "IPYTHONDIR": str(place / "ipython"),
        "MPLBACKEND": "agg",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
