"""Run the course's wrong answers on a test, to recognise a learner's by its results.

A wrong answer has a message if its entry in ``solutions/PS/EXERCISE.py`` says one
(:mod:`nbjudge.answers`). When a learner's result is wrong, the examiner runs the exercise's wrong
answers on the same inputs, in place of the learner's; whatever they return tells which one it is.
A release does the same for the visible tests and stores the results. So a learner's machine needs
no answers, and the examiner runs only those that a visible test cannot tell from the learner's.
"""

from __future__ import annotations

import base64
import contextlib
import io
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from nbjudge.inside.testing import served
from nbjudge.inside.testing.by_hand import by_hand, forbidden
from nbjudge.inside.testing.learner import seed_all
from nbjudge.inside.testing.recall import Checks, Find, Table, recording, unpack
from nbjudge.inside.values import np, torch
from nbjudge.inside.wire import WireError
from nbjudge.intake import cells
from nbjudge.judge.lies import within

#: Seconds after which a wrong answer is stopped.
SECONDS = 5.0


class Known:
    """The wrong answers of a problem set.

    Parameters
    ----------
    cells, wrong, keeping:
        From :func:`nbjudge.answers.steps`: the cells in order, tests without their source; message
        and source of each exercise's wrong answers; the exercises with tests that inputs are left
        unchanged.
    stored:
        What a release has stored for the visible tests, in base 64; empty if nothing.
    """

    def __init__(
        self,
        cells: Sequence[Mapping[str, str]] = (),
        wrong: Mapping[str, Sequence[Sequence[str]]] | None = None,
        keeping: Sequence[str] = (),
        stored: str = "",
    ) -> None:
        self.cells, self.wrong, self.keeping = list(cells), dict(wrong or {}), set(keeping)
        #: What the release has stored, by test; ``None`` if it has not.
        self.stored: dict[str, Table] | None = None
        if stored:
            with contextlib.suppress(WireError):  # of another version
                self.stored = unpack(base64.b64decode(stored))
        #: The namespace after the first ``_at`` cells, with the instructor's answers in it.
        self._space: dict[str, Any] = {}
        self._at = len(self.cells)

    def compile(self) -> None:
        """Compile everything, in a process whose children will need it."""
        sources = [cell["source"] for cell in self.cells]
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
        every = [says for says, _ in self.wrong.get(cells.exercise_of(test), ())]
        ran, table = set[str](), Table()

        def found(passed: Checks, suspects: Sequence[str]) -> list[Table]:
            visible = None if self.stored is None else self.stored.get(test, Table(only_wrong=True))
            if visible is not None and not hidden():
                return [visible]
            wanted = set(suspects or every)
            if visible is not None:
                wanted -= {says for check in passed for says in visible.failing(*check)}
            if new := [says for says in every if says in wanted - ran]:
                table.update(self.table(test, source, new))
                ran.update(new)
            return [table]

        return found

    def table(self, test: str, source: str, among: Collection[str] | None = None) -> Table:
        """Run an exercise's wrong answers on a test.

        Parameters
        ----------
        test, source:
            The test's grade id and its code.
        among:
            The messages of those to run; by default all.
        """
        table, exercise = Table(), cells.exercise_of(test)
        wrong = [(m, s) for m, s in self.wrong.get(exercise, ()) if among is None or m in among]
        with _aside():
            between = self._ready(exercise, test) if wrong else []
            for says, answer in wrong:
                seed_all(0)
                with self._restored(), recording() as results:
                    with contextlib.suppress(Exception, SystemExit), within(SECONDS):
                        for code in (answer, *between):
                            exec(compiled(code), self._space)
                        self._space |= self._verbs(exercise)
                        exec(compiled(source), self._space)
                    table.add(says, results)
        return table

    def _ready(self, exercise: str, test: str) -> list[str]:
        """Run all cells before this exercise's answer; returns those between it and the test."""
        there = [cell.get("answer") for cell in self.cells].index(exercise)
        if there < self._at:
            self._space, self._at = {"__name__": "__main__"}, 0
        for cell in self.cells[self._at : there]:
            exec(compiled(cell["source"]), self._space)
        self._at = there
        end = [cell.get("test") for cell in self.cells].index(test)
        return [cell["source"] for cell in self.cells[there + 1 : end]]

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

        there = {"call": call, "by_hand": nothing, "measured": nothing, "_hidden_begins": nothing}
        return {name: verb for name, verb in there.items() if name[0] == "_" or name in self._space}


@lru_cache(maxsize=4096)
def compiled(source: str) -> CodeType:
    """A cell's code, compiled once; a process's children inherit it."""
    return compile(source, "<known>", "exec")


@contextlib.contextmanager
def _aside() -> Iterator[None]:
    """Print nothing, forbid nothing, and leave the random numbers as they are."""
    said = forbidden()
    by_hand()
    state = random.getstate()
    numpys = np.random.get_state() if np is not None else None
    torchs = torch.get_rng_state() if torch is not None else None
    nowhere = io.StringIO()
    try:
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            yield
    finally:
        by_hand(*said)
        random.setstate(state)
        if np is not None:
            np.random.set_state(numpys)
        if torch is not None:
            torch.set_rng_state(torchs)
