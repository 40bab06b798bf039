"""Run the course's wrong answers on a test, to recognise a learner's by its results.

A wrong answer has a message if its entry in ``solutions/PS/EXERCISE.py`` says one
(:mod:`nbjudge.answers`). When a learner's result is wrong, the examiner runs the exercise's wrong
answers on the same inputs, in place of the learner's; whatever they return tells which one it is.
A release does the same for the visible tests and stores the results. So a learner's machine needs
no answers, and the examiner runs only those that a visible test cannot tell from the learner's.
"""

from __future__ import annotations

import contextlib
import io
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from time import monotonic
from types import CodeType
from typing import Any

from nbjudge.inside.testing import recall, served
from nbjudge.inside.testing.by_hand import by_hand, forbidden
from nbjudge.inside.testing.learner import seed_all
from nbjudge.inside.testing.recall import (
    Check,
    CheckResult,
    Find,
    Table,
    WrongAnswer,
    recording,
    unpack,
)
from nbjudge.inside.values import loaded, torch
from nbjudge.inside.wire import WireError
from nbjudge.intake import cells
from nbjudge.judge.limited import within
from nbjudge.judge.messages import KnownAnswers

#: Seconds after which a wrong answer is stopped, and after which no further one is run, while a
#: learner's test waits; and the former where nobody waits.
SECONDS, SECONDS_OF_ALL, PATIENT_SECONDS = 2.0, 8.0, 60.0


class Known:
    """The wrong answers of a problem set.

    Parameters
    ----------
    answers:
        The wrong answers, and what they need to run.
    """

    def __init__(self, answers: KnownAnswers | None = None) -> None:
        answers = answers or KnownAnswers()
        self.cells, self.wrong, self.keeping = answers.cells, answers.wrong, set(answers.keeping)
        #: What the release has stored, by test; ``None`` if it has not.
        self.stored: dict[str, Table] | None = None
        if answers.stored:
            with contextlib.suppress(WireError):  # of another version
                self.stored = unpack(answers.stored)
        #: The namespace after the first ``_at`` cells, with the instructor's answers in it.
        self._space: dict[str, Any] = {}
        self._at = len(self.cells)

    def compile(self) -> None:
        """Compile everything, in a process whose children will need it."""
        sources = [cell.source for cell in self.cells]
        for source in [*sources, *(s for every in self.wrong.values() for _, s in every)]:
            with contextlib.suppress(SyntaxError):
                compiled(source)

    def find(self, test: str, source: str, hidden: Callable[[], bool]) -> Find:
        """What the exercise's wrong answers return at the checks of a test.

        In the visible part it is looked up, if the release has stored it. In the hidden part those
        that pass the visible part as the learner's does are run, or all.

        Parameters
        ----------
        test, source:
            The test's grade id and its code.
        hidden:
            Whether the test has come to its hidden part.
        """
        every = [answer for answer, _ in self._answers(cells.exercise_of(test))]
        ran, table = set[WrongAnswer](), Table()

        def look_up(passed: Sequence[Check], suspects: Sequence[str]) -> list[Table]:
            visible = None if self.stored is None else self.stored.get(test, Table())
            if visible is not None and not hidden():
                return [visible]
            wanted = {a for a in every if not suspects or a.says in suspects}
            wanted -= ran | (visible.failing(passed) if visible is not None else set())
            if wanted:
                table.update(self.table(test, source, wanted, patient=False))
                ran.update(wanted)
            return [table] if visible is None else [table, visible.only(visible.failing(passed))]

        return look_up

    def _answers(self, exercise: str) -> list[tuple[WrongAnswer, str]]:
        """The wrong answers of an exercise, each with its source."""
        seen: Counter[str] = Counter()
        answers = []
        for says, source in self.wrong.get(exercise, ()):
            seen[says] += 1
            answers.append((WrongAnswer(says, seen[says]), source))
        return answers

    def table(
        self,
        test: str,
        source: str,
        among: Collection[WrongAnswer] | None = None,
        *,
        patient: bool = True,
    ) -> Table:
        """Run an exercise's wrong answers on a test.

        Parameters
        ----------
        test, source:
            The test's grade id and its code.
        among:
            Those to run; by default all.
        patient:
            Whether all may take their time, so that the result does not depend on the machine.
        """
        table, exercise = Table(), cells.exercise_of(test)
        answers = [pair for pair in self._answers(exercise) if among is None or pair[0] in among]
        seconds = PATIENT_SECONDS if patient else SECONDS
        end = monotonic() + (math.inf if patient else SECONDS_OF_ALL)
        with _aside():
            between = self._ready(exercise, test) if answers else []
            for answer, written in answers:
                if monotonic() > end:
                    break
                with _as_before(), self._restored(), recording() as results:
                    error = self._error(exercise, (written, *between), source, seconds)
                if not isinstance(error, TimeoutError):
                    results.append(CheckResult(recall.END, (), (), right=error is None))
                table.add(answer, results)
        return table

    def own_error(self, test: str, source: str) -> str:
        """Why the instructor's own answer fails a test; empty if it passes it.

        Empty, too, if the exercise has no wrong answers here or no cell of its own.
        """
        exercise = cells.exercise_of(test)
        own = [c.source for c in self.cells if (c.kind, c.name) == ("answer", exercise)]
        if not own or not self.wrong.get(exercise):
            return ""
        with _aside():
            between = self._ready(exercise, test)
            with _as_before(), self._restored():
                error = self._error(exercise, (*own, *between), source, PATIENT_SECONDS)
        return "" if error is None else f"{type(error).__name__}: {error}"

    def _error(
        self, exercise: str, before: Sequence[str], source: str, seconds: float
    ) -> BaseException | None:
        """Run a test's code after other cells; returns what stopped it, if anything did."""
        try:
            with within(seconds):
                for code in before:
                    exec(compiled(code), self._space)
                self._space |= self._verbs(exercise)
                exec(compiled(source), self._space)
        except (Exception, SystemExit) as error:
            return error
        return None

    def _ready(self, exercise: str, test: str) -> list[str]:
        """Run all cells before this exercise's answer; returns those between it and the test."""
        places = [(cell.kind, cell.name) for cell in self.cells]
        there = places.index(("answer", exercise))
        if there < self._at:
            self._space, self._at = {"__name__": "__main__"}, 0
        for cell in self.cells[self._at : there]:
            exec(compiled(cell.source), self._space)
        self._at = there
        end = places.index(("test", test))
        return [cell.source for cell in self.cells[there + 1 : end]]

    @contextlib.contextmanager
    def _restored(self) -> Iterator[None]:
        """Undo what the body binds; functions defined earlier see it meanwhile."""
        kept = dict(self._space)
        try:
            yield
        finally:
            self._space.clear()
            self._space.update(kept)

    def _verbs(self, exercise: str) -> dict[str, Any]:
        """What a test cell must not do here, or does otherwise."""

        def call(f: Any, *args: Any, **kwargs: Any) -> Any:
            return served.call(f, args, kwargs, keep=exercise not in self.keeping)

        def nothing(*_: object, **__: object) -> None:
            """Do nothing."""

        there = {"call": call, "by_hand": nothing, "measured": nothing}
        return {name: verb for name, verb in there.items() if name in self._space}


@lru_cache(maxsize=4096)
def compiled(source: str) -> CodeType:
    """A cell's code, compiled once; a process's children inherit it."""
    return compile(source, "<known>", "exec")


@contextlib.contextmanager
def _aside() -> Iterator[None]:
    """Print nothing, forbid nothing, use one thread, and leave the random numbers as they are."""
    before = forbidden()
    by_hand()
    state = random.getstate()
    np = loaded("numpy")
    numpys = np and np.random.get_state()
    torchs = torch.get_rng_state() if torch is not None else None
    threads = torch.get_num_threads() if torch is not None else 1
    nowhere = io.StringIO()
    if threads > 1:  # a second one only costs time on inputs as small as a test's
        torch.set_num_threads(1)
    try:
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            yield
    finally:
        by_hand(*before)
        random.setstate(state)
        if np:
            np.random.set_state(numpys)
        if torch is not None:
            torch.set_rng_state(torchs)
            torch.set_num_threads(threads)


@contextlib.contextmanager
def _as_before() -> Iterator[None]:
    """Seed the random numbers, and undo what an answer may set for all of PyTorch."""
    seed_all(0)
    if torch is None:
        yield
        return
    enabled, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    try:
        yield
    finally:
        torch.set_grad_enabled(enabled)
        torch.set_default_dtype(dtype)
