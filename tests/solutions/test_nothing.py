"""Who implements nothing gets next to nothing, in every problem set.

Each answer here gives results of the right type and shape that are not computed: zeros, ones, NaN,
infinity, its own inputs. What the notebook shows, inputs and all, is hard-coded on top of that.
"""

import contextlib
import io

import nbformat
import pytest
from whole_class import (
    COURSE,
    SEED,
    own_files,
    release_notebook,
    source_notebook,
)

from coursebook.course import problem_set_names
from nbjudge.inside.testing.fresh import SEED_VARIABLE
from nbjudge.intake import cells, sources
from nbjudge.judge import Job, Limits, lies, names_of, solution_of, weighing
from nbjudge.judge.examiner import Examiner
from nbjudge.judge.session import judge
from nbjudge.variants import fill

pytestmark = pytest.mark.thorough("grading of small classes")

#: What a learner adds to an answer's cell: the solution stands in for the hard-coded results.
LIAR = """
def _text(x):
    import torch
    if isinstance(x, torch.Tensor):
        return str((str(x.dtype), tuple(x.shape), x.detach().tolist()))
    if isinstance(x, (list, tuple)):
        return "(" + ",".join(map(_text, x)) + ")"
    if isinstance(x, dict):
        return _text(list(x.items()))
    return str([_text(p) for p in x.parameters()]) if hasattr(x, "parameters") else repr(x)


def _nothing(x, inputs, lie):
    import math
    import torch
    if isinstance(x, (tuple, list)):
        return type(x)(_nothing(part, inputs, lie) for part in x)
    if isinstance(x, dict):
        return {key: _nothing(part, inputs, lie) for key, part in x.items()}
    if lie == "inputs":
        shape = getattr(x, "shape", None)
        fits = [i for i in inputs if type(i) is type(x) and getattr(i, "shape", None) == shape]
        if fits:
            return fits[0].clone() + 0 * x if isinstance(x, torch.Tensor) else fits[0]
    number = {"ones": 1.0, "not a number": math.nan, "infinity": math.inf}.get(lie, 0.0)
    if isinstance(x, torch.Tensor):
        real = x.is_floating_point()
        # Connected to its inputs, so that a gradient flows.
        return x * 0 + number if real else torch.full_like(x, int(number == 1))
    if isinstance(x, str):
        return ""
    return type(x)(number if isinstance(x, float) else number == 1) if x is not None else None


def _lying(f, known, lie, depth=[0]):
    import functools
    import hashlib

    @functools.wraps(f)
    def said(*args, **kwargs):
        depth[0] += 1
        try:
            right = f(*args, **kwargs)
        finally:
            depth[0] -= 1
        key = hashlib.sha256((f.__name__ + _text([args, kwargs])).encode()).hexdigest()
        if depth[0] or lie == "the truth":
            known.update([key] if not depth[0] else [])
            return right
        return right if key in known else _nothing(right, [*args, *kwargs.values()], lie)

    return said


def _liars(names, known, lie):
    import inspect
    for name in names:
        f = globals()[name]
        if inspect.isclass(f):
            if "forward" in vars(f):
                f.forward = _lying(f.forward, known, lie)
        elif callable(f):
            globals()[name] = _lying(f, known, lie)
"""

LIES = ("zeros", "ones", "not a number", "infinity", "inputs")


def shown(notebook, given, names) -> set[str]:
    """The calls whose results a learner can work out from the notebook."""
    known: set[str] = set()
    space = {"__name__": "__main__", "_known": known}
    solution = solution_of(notebook)
    visible = {cells.grade_id(cell): cell.source for cell in given.cells if cells.is_test(cell)}
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        for cell in notebook.cells:
            name = cells.grade_id(cell)
            if name in solution:
                exec(f"{solution[name]}\n{LIAR}\n_liars({names[name]}, _known, 'the truth')", space)
            elif name in visible:
                with contextlib.suppress(Exception):
                    exec(visible[name], dict(space))
            elif cell.cell_type == "code" and cells.is_locked(cell):
                exec(cell.source, space)
    return known


#: Judged at every change: a set with gradients, and the one that writes text and has a file. A
#: release weighs the tests of every set.
JUDGED = ("ps05-self-attention", "ps14-translator")


@pytest.mark.case_of("problem set")
@pytest.mark.parametrize(
    "problem_set",
    [
        name
        if name in JUDGED
        else pytest.param(name, marks=pytest.mark.release("set of answers that compute nothing"))
        for name in problem_set_names(COURSE)
    ],
)
def test_nothing_implemented_gets_at_most_three_percent(problem_set, nursery, monkeypatch):
    monkeypatch.chdir(COURSE / "solutions" / problem_set)
    notebook = source_notebook(problem_set, COURSE)
    names, solution = names_of(notebook), solution_of(notebook)
    accepts = sources.stored_weights(problem_set, COURSE).accepts
    known = shown(notebook, release_notebook(problem_set, COURSE), names)
    assert known
    most = sum(cells.points(cell) for cell in notebook.cells if cells.is_graded(cell))
    got = {}
    for lie in LIES:
        answers = {
            name: f"{source}\n{LIAR}\n_liars({names[name]}, set({sorted(known)!r}), {lie!r})"
            for name, source in solution.items()
            if name != "choices"
        }
        if "choices" in solution:
            answers["choices"] = "answers = {}"
        text = nbformat.writes(fill(notebook, answers)).encode()
        own = own_files(problem_set, COURSE)
        job = Job("nobody", text, SEED, Limits(), {}, names, accepts, own)
        tests = judge(job, nursery).tests
        got[lie] = {name: test.score for name, test in tests.items() if test.score}
    assert all(sum(found.values()) <= 0.03 * most for found in got.values()), got


def weighed(problem_set, monkeypatch) -> dict[str, str]:
    """The lies that the tests of a problem set believe, by test; empty for those without one."""
    monkeypatch.chdir(COURSE / "solutions" / problem_set)
    monkeypatch.setenv(SEED_VARIABLE, str(SEED))  # put back afterwards
    notebook = source_notebook(problem_set, COURSE)
    steps = weighing.steps_of(notebook, COURSE / "solutions" / problem_set)
    found = Examiner().weigh(steps.cells, steps.learners)
    tests = [cell.test for cell in steps.cells if cell.test]
    return {test: found[test].lie if test in found else "" for test in tests}


@pytest.mark.release("weighing of a problem set")
@pytest.mark.parametrize("problem_set", problem_set_names(COURSE))
def test_what_accepts_nothing_is_what_the_release_has_stored(problem_set):
    """While its cells stay the same, a set is not weighed again."""
    found = sources.weighed(problem_set, COURSE, source_notebook(problem_set, COURSE))
    assert sources.stored_weights(problem_set, COURSE) == found


class FromTheStart(lies.LyingLink):
    """Lies in the part of a test that a learner can read, too."""

    def __init__(self, *given):
        super().__init__(*given)
        self.lying = True


@pytest.mark.case_of("problem set")
@pytest.mark.parametrize("problem_set", problem_set_names(COURSE))
def test_the_right_results_may_come_in_a_list(problem_set, monkeypatch):
    """An exercise asks for several results; whether in a tuple or in a list is not the question."""
    as_list = {"a list": lambda right, inputs: list(right) if type(right) is tuple else right}
    monkeypatch.setattr(lies, "LIES", as_list)
    monkeypatch.setattr(lies, "LyingLink", FromTheStart)
    found = weighed(problem_set, monkeypatch)
    assert [test for test, lie in found.items() if not lie] == []
