"""An exercise's tests judge an answer in this process, as if it had been handed in.

The test cells, verbs, checks, known mistakes and findings are those behind the grader's wall. What
takes most of the time there is left out: the kernel, its sandbox and its copies.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import jaxtyping
import nbformat
from whole_class import COURSE, SEED, source_notebook

from nbjudge.answers import known_answers, load_variants
from nbjudge.inside.testing import recall, served
from nbjudge.inside.testing.by_hand import by_hand
from nbjudge.inside.testing.checks import deciding
from nbjudge.inside.testing.choices import scored_below
from nbjudge.inside.testing.fresh import SEED_VARIABLE
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.intake import cells, sources
from nbjudge.judge import names_of
from nbjudge.judge.examiner import HIDDEN_BEGINS, _marked, read
from nbjudge.judge.findings import Findings
from nbjudge.judge.holding_back import hold_back
from nbjudge.judge.known import Known, compiled
from nbjudge.judge.limited import within
from nbjudge.judge.messages import Finding

#: Seconds after which an answer that does not end is stopped.
SECONDS = 60.0


@contextlib.contextmanager
def as_graded() -> Iterator[None]:
    """What the grader's own process sets: the seed of hidden tests, and no types checked."""
    before, checked = os.environ.get(SEED_VARIABLE), jaxtyping.config.jaxtyping_disable
    os.environ[SEED_VARIABLE], jaxtyping.config.jaxtyping_disable = str(SEED), True
    recall.stored.cache_clear()
    assert recall.stored_folder() == COURSE / "nbjudge_tfcourse" / "wrong_results"
    try:
        yield
    finally:
        jaxtyping.config.jaxtyping_disable = checked
        os.environ.pop(SEED_VARIABLE)
        os.environ |= {} if before is None else {SEED_VARIABLE: before}


class InPlace(Known):
    """Judges answers to the exercises of a problem set.

    Parameters
    ----------
    problem_set:
        Its name.
    graded:
        Whether hidden tests run too.
    """

    def __init__(self, problem_set: str, *, graded: bool):
        self.notebook = source_notebook(problem_set, COURSE)
        self.folder = COURSE / "solutions" / problem_set
        super().__init__(known_answers(self.notebook, load_variants(self.folder)))
        self.graded, self.names = graded, names_of(self.notebook)
        #: The tests that accept an answer that computes nothing.
        self.accepts = sources.stored_weights(problem_set, COURSE).accepts
        self.answers = {cells.grade_id(c): c for c in self.notebook.cells if cells.is_answer(c)}
        self.tests: dict[str, list[nbformat.NotebookNode]] = {}
        for cell in filter(cells.is_test, self.notebook.cells):
            if not graded:
                cell.source = cells.without_hidden_tests(cell.source, "")
            self.tests.setdefault(cells.exercise_of(cells.grade_id(cell)), []).append(cell)
        self.tables = cache(self._tables)
        self.lost = cache(self._lost)

    def _tables(self, exercise: str) -> Any:
        """What the known wrong answers return, by test; the stored tables if nothing is hidden."""
        if not self.graded:
            return recall.all_stored()
        if not self.wrong.get(exercise):
            return {}
        own = {cells.grade_id(cell): cell.source for cell in self.tests[exercise]}
        return {name: [self.table(name, source)] for name, source in own.items()}

    def _lost(self, exercise: str, answer: str) -> dict[str, str]:
        """Test → what its author is told, for each that did not get all its points."""
        cell = copy(self.answers[exercise])
        cell.source = answer
        notebook = nbformat.v4.new_notebook(cells=[cell, *self.tests[exercise]])
        findings = Findings(notebook, SimpleNamespace(broken=[]))
        with as_graded(), contextlib.chdir(self.folder), self._keeping(exercise):
            for cell in self.tests[exercise]:
                name = cells.grade_id(cell)
                found = self._judged(exercise, name, cell.source, answer)
                findings.settle(cell, findings.reported_once(name, found), [])
        findings.name_causes()
        hold_back(SimpleNamespace(names=self.names, accepts=self.accepts), findings)
        return {
            name: test.message for name, test in findings.tests.items() if not findings.passed(name)
        }

    @contextlib.contextmanager
    def _keeping(self, exercise: str) -> Iterator[None]:
        """Leave it to a test of its own, if there is one, that a call changes no input."""
        before = served.call
        served.call = partial(before, keep=exercise not in self.keeping)
        try:
            yield
        finally:
            served.call = before

    def _judged(self, exercise: str, name: str, source: str, answer: str) -> Finding:
        """What the examiner would report of a test."""
        found = Finding()
        between = self._ready(exercise, name)
        tables = self.tables(exercise)
        test = read(name, _marked(source))
        below = scored_below() if "choices" in test.taken else contextlib.nullcontext()
        printed, guess = io.StringIO(), None
        recall.runs(name)
        with self._restored(), contextlib.redirect_stdout(io.StringIO()):
            try:
                with within(SECONDS, busy=True):  # a busy machine costs no points
                    for code in (answer, *between):
                        exec(compiled(code), self._space)
                    self._space[HIDDEN_BEGINS] = lambda: None
                    with (
                        contextlib.redirect_stdout(printed),
                        below,
                        deciding(lambda passed, suspects: tables.get(name, [])),
                    ):
                        exec(test.body, self._space)
                        if test.last is not None:
                            found.value = eval(test.last, self._space)
            except Mistake as mistake:
                found.error, found.says = "Mistake", str(mistake)
                guess = mistake.guess
            except Exception as error:  # what the answer itself raises, or a test on its result
                found.error, found.says = type(error).__name__, str(error)
            finally:
                by_hand()
        if guess is not None:
            fails = recall.failed_by(guess.causes, exercise, tables)
            found.guess = replace(guess, fails=fails)
        found.uses = sorted(recall.running.uses)
        found.printed = printed.getvalue()
        return found
