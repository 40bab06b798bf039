"""A problem set made for the judge's tests, and what the judge makes of answers to it."""

from __future__ import annotations

import atexit
import functools
import re
from pathlib import Path
from types import SimpleNamespace

import made_course
import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

from nbjudge.intake import cells
from nbjudge.intake.sources import quiet_log
from nbjudge.judge import Job, Judged, Limits, names_of, weighing
from nbjudge.judge.session import judge
from nbjudge.sandbox import Nursery, status

SETUP = """
import torch
from torch import nn
from nbjudge.testing import *

def worth(f, x):
    return call(f, x)
### BEGIN HIDDEN TESTS
secret_of_the_setup = 17
### END HIDDEN TESTS
"""

DOUBLE_VALUES = """
by_hand("attention")
close(worth(double, torch.ones(2)), torch.full((2,), 2.0), "The double")
### BEGIN HIDDEN TESTS
generator = fresh("double--values")
require(secret_of_the_setup == 17, "never")
x = torch.rand(3, generator=generator)
close(call(double, x), 2 * x, "The double of hidden numbers")
### END HIDDEN TESTS
"""

DOUBLE_INPUTS = """
by_hand("attention")
untouched(double, torch.ones(2), names="x")
"""

LOOP = """
by_hand("attention", "matrix products")
A = torch.arange(6.0).reshape(2, 3)
close(call(product, A, A.mT), A @ A.mT, "The product")
"""

LINE = """
by_hand("attention")
W = torch.eye(2)
module = switch(build(Line, 2, weights={"W": W}), "eval")
close(call(module, torch.ones(1, 2)), torch.ones(1, 2), "The output")
require(mode(module) == "eval", "It switches the mode.")
"""

CHOICES = """
answered(answers, ["a", "b"])
### BEGIN HIDDEN TESTS
choices(answers, {"a": True, "b": False}, {"a": "Reason a.", "b": "Reason b."}, points=4)
### END HIDDEN TESTS
"""

ANSWERS = {
    "double": "def double(x):\n    return 2 * x",
    "product": (
        "def product(A, B):\n    return torch.stack([(B * row[:, None]).sum(0) for row in A])"
    ),
    "line": (
        "class Line(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
        "        self.W = nn.Parameter(torch.randn(n, n))\n"
        "    def forward(self, x):\n        return x @ self.W"
    ),
    "choices": 'answers = {"a": True, "b": False}',
}

DOUBLE = ANSWERS["double"]

#: What each of them binds.
NAMES = {"double": ("double",), "product": ("product",), "line": ("Line",), "choices": ("answers",)}

TESTS = {
    "double--values": (DOUBLE_VALUES, 3),
    "double--inputs": (DOUBLE_INPUTS, 1),
    "product--values": (LOOP, 2),
    "line--values": (LINE, 2),
    "choices--answers": (CHOICES, 4),
}


def code(name: str, source: str, **about) -> nbformat.NotebookNode:
    """A cell of the problem set; without a name one of the learner's own."""
    source = source.strip("\n")
    return made_course.code(name, source, **about) if name else new_code_cell(source)


def instructors(tests: dict | None = None) -> nbformat.NotebookNode:
    """The instructor's notebook, with the right answers."""
    tests = TESTS | (tests or {})
    made = [code("setup", SETUP, locked=True)]
    for exercise, answer in ANSWERS.items():
        made.append(code(exercise, answer, solution=True))
        for name, (source, points) in tests.items():
            if cells.exercise_of(name) == exercise:
                made.append(code(name, source, grade=True, locked=True, points=points))
    return new_notebook(cells=made)


def filled(answers: dict[str, str], tests: dict | None = None) -> nbformat.NotebookNode:
    """The notebook with a learner's answers.

    ``"own"`` goes before all of them, ``"own-EXERCISE"`` after an exercise.
    """
    notebook = instructors(tests)
    for cell in notebook.cells:
        if cells.is_answer(cell):
            cell.source = answers.get(cells.grade_id(cell), cell.source)
    for place, source in answers.items():
        if place.startswith("own"):
            after = place.removeprefix("own").removeprefix("-") or "setup"
            at = [cells.grade_id(c) for c in notebook.cells].index(after) + 1
            notebook.cells.insert(at, code("", source))
            notebook.cells[at].id = place  # the same at every run
    return notebook


@functools.cache
def _nursery(sandboxed: bool) -> Nursery:
    made = Nursery(sandboxed=sandboxed)
    atexit.register(made.close)
    made.start()  # to load it is not the first submission's time
    return made


def nursery(sandboxed: bool | None = None) -> Nursery:
    """One nursery for all tests of this process, those of whole classes too."""
    return _nursery(status().works if sandboxed is None else sandboxed)


def accepted(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """The tests that accept an answer that computes nothing, as a release finds them."""
    folder = Path(__file__).parent
    weights = weighing.weigh(weighing.steps_of(notebook, folder), folder)
    return {test: believed.lie for test, believed in weights.items()}


QUICK = Limits(call_seconds=1.5, cell_seconds=3, submission_seconds=60)


def judged(
    answers: dict[str, str] | None = None,
    *,
    seed: int = 1,
    limits: Limits = QUICK,
    tests: dict | None = None,
    files: dict[str, bytes] | None = None,
) -> Judged:
    """What the judge makes of these answers; those not given are right."""
    notebook = filled(answers or {}, tests)
    text = nbformat.writes(notebook).encode()
    names, accepts = names_of(instructors()), accepted(instructors(tests))
    job = Job("someone", text, seed, limits, files or {}, names, accepts)
    judgement = judge(job, nursery())
    executed = nbformat.reads(judgement.notebook.decode(), as_version=4)
    nbformat.validate(executed)
    for cell in filter(cells.is_test, executed.cells):
        score, most = determine_grade(cell, quiet_log())
        test = judgement.tests[cells.grade_id(cell)]
        assert (score, most) == (test.score, test.max_score), cells.grade_id(cell)
        assert (test.message == "") == (score == most), test
    return judgement


def judged_side_by_side(
    answers: dict[str, str],
    of: str = "double",
    tests: dict[str, tuple[str, int]] | None = None,
    *,
    limits: Limits = QUICK,
) -> dict[str, SimpleNamespace]:
    """What the judge makes of each of these answers, all in one notebook.

    Each is an exercise of its own, with its own name and its own copies of the tests, so that what
    one answer does to the others would be seen.

    Parameters
    ----------
    answers:
        Label → answer to the exercise ``of``.
    of:
        The exercise.
    tests:
        Test → source and points; those of the exercise unless given.

    Returns
    -------
    by_label
        Label → ``scores`` and ``lost``, test → score and test → message, as if it were alone.
    """
    (name,) = NAMES[of]
    tests = tests or {t: about for t, about in TESTS.items() if cells.exercise_of(t) == of}
    made, bound, exercises = [code("setup", SETUP, locked=True)], {}, {}
    accepts, believed = {}, accepted(instructors(tests))
    for number, (label, answer) in enumerate(answers.items()):
        own, exercise = f"{name}_{number}", f"{of}-{number}"

        def renamed(source: str, own: str = own) -> str:
            return re.sub(rf"\b{name}\b(?!--)", own, source)

        exercises[label], bound[exercise] = exercise, (own,)
        made.append(code(exercise, renamed(answer), solution=True))
        for test, (source, points) in tests.items():
            at = f"{exercise}{test.removeprefix(of)}"
            made.append(code(at, renamed(source), grade=True, locked=True, points=points))
            accepts |= {at: believed[test]} if test in believed else {}
    text = nbformat.writes(new_notebook(cells=made)).encode()
    judgement = judge(Job("someone", text, 1, limits, {}, bound, accepts), nursery())
    by_label = {}
    for label, exercise in exercises.items():
        own = {t: judgement.tests[f"{exercise}{t.removeprefix(of)}"] for t in tests}
        by_label[label] = SimpleNamespace(
            scores={t: test.score for t, test in own.items()},
            lost={t: test.message for t, test in own.items() if test.message},
            whole=judgement,
        )
    return by_label


def outputs(judgement: Judged, name: str) -> list[nbformat.NotebookNode]:
    """The outputs of the cell of that grade id, or of the learner's own cell at that place."""
    executed = nbformat.reads(judgement.notebook.decode(), as_version=4)
    own = [cell for cell in executed.cells if not cells.grade_id(cell)]
    named = {cells.grade_id(cell): cell for cell in executed.cells}
    return (own[0] if name == "own" else named[name]).outputs


def scores(judgement: Judged) -> dict[str, float]:
    """The score of each test."""
    return {name: test.score for name, test in judgement.tests.items()}


#: What all tests right come to.
FULL = {name: float(points) for name, (_, points) in TESTS.items()}


def lost(judgement: Judged) -> dict[str, str]:
    """Test → message, of those without all their points."""
    return {
        name: test.message for name, test in judgement.tests.items() if test.score < test.max_score
    }
