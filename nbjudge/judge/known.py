"""Run the course's wrong answers on a test, to recognise a learner's by its results.

A wrong answer has a message if its entry in ``solutions/PS/EXERCISE.py`` says one
(:mod:`nbjudge.answers`). When a learner's result is wrong, the examiner runs the exercise's wrong
answers on the same inputs, in place of the learner's; whatever they return tells which one it is.
A release does the same for the visible tests and stores the results, so that a learner's machine
needs no answers.
"""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from nbjudge.inside.testing import served
from nbjudge.inside.testing.by_hand import by_hand, forbidden
from nbjudge.inside.testing.learner import seed_all
from nbjudge.inside.testing.recall import Table, recording
from nbjudge.inside.values import np, torch
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
    """

    def __init__(
        self,
        cells: Sequence[Mapping[str, str]] = (),
        wrong: Mapping[str, Sequence[Sequence[str]]] | None = None,
        keeping: Sequence[str] = (),
    ) -> None:
        self.cells, self.wrong, self.keeping = list(cells), dict(wrong or {}), set(keeping)
        #: The namespace after the first ``_at`` cells, with the instructor's answers in it.
        self._space: dict[str, Any] = {}
        self._at = len(self.cells)

    def compile(self) -> None:
        """Compile everything, in a process whose children will need it."""
        sources = [cell["source"] for cell in self.cells]
        for source in [*sources, *(s for every in self.wrong.values() for _, s in every)]:
            with contextlib.suppress(SyntaxError):
                compiled(source)

    def table(self, test: str, source: str) -> Table:
        """What the exercise's wrong answers return at the checks of a test.

        Parameters
        ----------
        test, source:
            The test's grade id and its code.
        """
        table, exercise = Table(), cells.exercise_of(test)
        wrong = self.wrong.get(exercise, ())
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
