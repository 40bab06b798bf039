"""Start the process that checks a notebook, time it, and restart it if a cell ends it."""

from __future__ import annotations

import json
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
from typing import IO, TYPE_CHECKING, Any

from nbjudge.desk import STUCK
from nbjudge.inside.program import command_name, handed_on
from nbjudge.intake import cells
from nbjudge.judge.errors import GONE, OUT_OF_TIME

if TYPE_CHECKING:  # importing these would delay the start of the process
    from nbformat import NotebookNode

    from nbjudge.inside.limits import Limits

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
        For each test cell that was run, by grade id: ``score``, and ``message``, empty if nothing
        is wrong.
    stopped:
        Why each answer cell that stopped with an error did so, by grade id.
    flags:
        The flags raised, one line each.
    """

    tests: dict[str, dict[str, Any]] = field(default_factory=dict)
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
        known: Mapping[str, Any] | None = None,
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
        ran = _Run(steps, limits)
        job = {"steps": steps, "seed": seed, "known": dict(known or {})}
        restarts = 0
        while ran.next < len(steps):
            if self._process is None:
                self._start()
            so_far = {"start": ran.next, "done": ran.done, "slow": sorted(ran.slow)}
            self._tell({**job, **so_far, "seconds": ran.seconds()}, files)
            if self._watch(ran):
                ran.out_of_time()
                break
            restarts += 1
            if restarts > MAX_RESTARTS or ran.gave_up:
                ran.give_up()
        return ran.told(notebook)

    def _start(self) -> None:
        self._number += 1
        self._place = self.folder / str(self._number)
        home = self._place / "home"
        home.mkdir(parents=True)
        self._said = open(self._place / "stderr", "w+b")  # noqa: SIM115 - closed in _end
        try:
            self._process = subprocess.Popen(
                [sys.executable, *PROGRAM, str(self._place)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
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
        self._said.close()
        self._process = None

    def _tell(self, job: dict[str, Any], files: Mapping[str, bytes] | None) -> None:
        for name, content in (files or {}).items():
            path = self._place / "home" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (self._place / "job.json").write_text(json.dumps(job), "utf-8")
        with suppress(OSError):  # if it has ended, _watch will notice
            assert self._process is not None
            stdin = _input_of(self._process)
            stdin.write(b"go\n")
            stdin.flush()

    def _watch(self, ran: _Run) -> bool:
        """Follow the process; returns whether it came to the end of the notebook."""
        ready, due = False, monotonic() + LOADING
        told = _Lines(self._place / "told.jsonl")
        process = self._process
        assert process is not None
        while True:
            ended = process.poll() is not None
            for event in told.new():  # after poll(), so that its last messages are not lost
                if "ready" in event:
                    ready = True
                elif "ended" in event:
                    return True
                else:
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
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return (
            "The process that runs the notebook did not start: "
            f"{lines[-1] if lines else f'exit code {code}'}\n"
            f"Install the course's packages in the environment that runs {command_name()}: "
            "pip install -r requirements-learner.txt"
        )


class _Lines:
    """The lines of a file that another process is writing."""

    def __init__(self, path: Path) -> None:
        self.path, self.at, self.rest = path, 0, b""

    def new(self) -> Iterator[dict[str, Any]]:
        """The new complete lines, decoded; an incomplete line is kept for later."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self.at)
                content = file.read()
        except OSError:  # not there yet
            return
        self.at += len(content)
        *lines, self.rest = (self.rest + content).split(b"\n")
        for line in lines:
            with suppress(ValueError):
                yield json.loads(line)


class _Run:
    """The progress of a notebook, over all processes that it took."""

    def __init__(self, steps: list[dict[str, Any]], limits: Limits) -> None:
        self.steps, self.limits = steps, limits
        self.next = 0
        self.at = -1
        self.again = False
        self.done: list[int] = []
        self.slow: set[str] = set()
        self.found: dict[int, dict[str, Any]] = {}
        self.gave_up = ""
        self.end = monotonic() + limits.submission_seconds

    def seconds(self) -> float:
        """Seconds left for the whole notebook."""
        return self.end - monotonic()

    def seconds_left(self) -> float:
        """Seconds that the process may go without sending another message."""
        step = self.steps[self.at] if self.at >= 0 else {}
        seconds = step.get("test", step).get("seconds", self.limits.submission_seconds)
        return seconds + GRACE

    def hear(self, event: dict[str, Any]) -> None:
        """Process a message from the process."""
        at = event["at"]
        if event.get("begins"):
            self.at, self.again = at, event["again"]
            return
        if event["again"]:
            return
        found = event["found"]
        self.found[at], self.next = found, at + 1
        if self.steps[at]["do"] != "test" and found.get("error") != OUT_OF_TIME:
            self.done.append(at)
        if found.get("error") in (OUT_OF_TIME, GONE) and self.steps[at]["do"] == "test":
            self.slow.add(self.steps[at]["exercise"])

    def lost(self, code: int | None) -> None:
        """Record that the process ended with this exit code, or had to be killed (``None``)."""
        if self.at < 0 or self.again:
            self.gave_up = "a cell that ran once cannot be run again"
            return
        step = self.steps[self.at]
        if code is None or code == STUCK:
            seconds = step.get("test", step).get("seconds", 0)
            says = f"This test was stopped after {seconds:g} s: is there a loop that never ends?"
            found = {"error": OUT_OF_TIME, "says": says}
        else:
            how = f"exit code {code}" if code >= 0 else f"signal {-code}"
            says = f"The process that runs the notebook ended here ({how})."
            found = {"error": GONE, "says": says}
        self.hear({"at": self.at, "again": False, "found": found})
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

    def told(self, notebook: NotebookNode) -> NotebookRun:
        """The result, with messages for people."""
        from nbjudge.judge import elsewhere, outcome

        ran, out_of_time, died = NotebookRun(), [], []
        for at, step in enumerate(self.steps):
            name = step.get("name", "")
            found = self.found.get(at)
            if step["do"] == "test":
                continue
            if found is None or not found.get("error"):
                continue
            if found["error"] == OUT_OF_TIME:
                out_of_time.append(name)
            elif found["error"] == GONE:
                died.append(name)
            if step["do"] == "run" and step["answer"]:
                ran.stopped[name] = _why_stopped(step, found)
        tests = [(at, step) for at, step in enumerate(self.steps) if step["do"] == "test"]
        told = outcome.agreed(
            {step["name"]: self.found.get(at, {"error": outcome.NOT_RUN}) for at, step in tests}
        )
        for at, step in tests:
            found = self.found.get(at) or {
                "error": outcome.NOT_RUN,
                "says": f"This test was not run: {self.gave_up}.",
            }
            if found.get("skipped"):
                found = {"error": outcome.NOT_RUN, "says": SKIPPED}
            elif found["error"] == OUT_OF_TIME:
                out_of_time.append(step["name"])
            elif found["error"] == GONE:
                died.append(step["name"])
            elif found["error"] == "Missing" and (why := ran.stopped.get(step["exercise"])):
                says = why if why == outcome.NO_ANSWER else f"The answer's own cell stopped: {why}"
                found = {**found, "says": says}
            elif step["name"] in told:
                found = {**found, "says": told[step["name"]]}
            points = step["points"]
            found = outcome.settled(elsewhere.explained(found, notebook, step["name"]), points)
            _, score = outcome.scored(found, points)
            message = outcome.message(found, score, points)
            ran.tests[step["name"]] = {"score": score, "message": message}
        if out_of_time:
            ran.flags.append(f"ran out of time in {cells.listed(out_of_time)}")
        if died:
            ran.flags.append(f"the process that runs the notebook ended in {cells.listed(died)}")
        if self.gave_up:
            ran.flags.append(f"the notebook was not run to the end: {self.gave_up}")
        return ran


def _why_stopped(step: dict[str, Any], found: dict[str, Any]) -> str:
    if found["error"] == OUT_OF_TIME:
        return (
            f"This cell was stopped after {step['seconds']:g} s: is there a loop that never ends?"
        )
    from nbformat import NotebookNode

    from nbjudge.judge import outcome

    output = outcome.error(found["error"], found["says"])
    return outcome.why_stopped(NotebookNode(outputs=[output]))


def _steps(
    notebook: NotebookNode,
    bound: Mapping[str, tuple[str, ...]],
    limits: Limits,
    only: frozenset[str] | None,
) -> Iterator[dict[str, Any]]:
    """The steps in order, as in :class:`nbjudge.judge.session.Session`."""
    from nbjudge.judge import names

    learners: set[str] = set()
    keeping = names.keeping(notebook)
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        name = cells.grade_id(cell)
        if cells.is_test(cell):
            if only is not None and name not in only:
                continue
            yield {
                "do": "test",
                "name": name,
                "exercise": cells.exercise_of(name),
                "points": cells.points(cell),
                "test": {
                    "name": name,
                    "source": cell.source,
                    "seconds": float(limits.cell_seconds),
                    "call_seconds": float(min(limits.call_seconds, limits.cell_seconds)),
                    "keep": cells.exercise_of(name) not in keeping,
                },
            }
            continue
        if cells.is_answer(cell):
            learners |= set(bound.get(name, ()))
            yield {"do": "prepare", "step": {"learners": sorted(bound.get(name, ()))}}
        elif cells.is_locked(cell):
            if names.used(cell.source) & learners:
                made = names.bound(cell.source)
                learners |= made
                yield {"do": "prepare", "step": {"learners": sorted(made)}}
            else:
                yield {"do": "prepare", "step": {"setup": cell.source}}
        locked = cells.is_locked(cell)
        yield {
            "do": "run",
            "name": name or f"cell {number}",
            "answer": cells.is_answer(cell),
            "source": cell.source,
            "seconds": float(limits.submission_seconds if locked else limits.cell_seconds),
        }


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
