"""An answer that stands in the files that it is to be written without is noticed, no other one."""

import importlib
import inspect

import nbformat
import pytest
import torch
from around import the_course

from nbjudge.course import problem_set_names
from nbjudge.intake import cells
from nbjudge.judge.likeness import MUCH, forbidden_files, likeness, signs
from nbjudge.judge.names import forbidden, solution_of

COURSE = the_course()  # whose kinds of what is forbidden these tests name

BY_HAND = """
def attend(Q, K, V):
    scores = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    return scores.softmax(-1) @ V
"""


def test_what_pytorch_says_of_its_attention_is_noticed():
    docstring = torch.nn.functional.scaled_dot_product_attention.__doc__
    copied = docstring[docstring.index("def scaled_dot_product_attention(query") :].partition("..")[
        0
    ]
    part, file = likeness(copied, ["attention"])
    assert part > 0.9 and file == "torch/nn/functional.py"


def test_the_courses_own_attention_is_noticed():
    theirs = importlib.import_module("tfcourse.attention")
    source = inspect.getsource(theirs.scaled_dot_product_attention)
    part, file = likeness(source, ["attention"])
    assert part > 0.9 and file == "tfcourse/attention.py"


def test_the_formula_in_few_lines_is_nobodys():
    assert likeness(BY_HAND, ["attention"])[0] == 0
    assert likeness("", ["attention"]) == (0.0, "")


def test_what_cannot_be_refused_is_pointed_out():
    step = "def f(x):\n    return torch.complex(x, 1e-20 + 0 * x).pow(3).imag / 1e-20"
    assert signs(step, ["autograd"]) == [
        "computes with complex numbers: is the gradient found by a complex step?"
    ]
    assert signs("y = 1e-20j", ["attention", "autograd"]) == signs(step, ["autograd"])
    assert signs(step, ["positions"]) == [], "a turned query is a complex number"
    for source in ("open('/proc/self/mem', 'r+b')", "x.__array_interface__ = {'data': (1, 0)}"):
        assert "own process's memory" in signs(source, [])[0]
    assert signs("# 3j would be a complex number", ["autograd"]) == []


@pytest.mark.parametrize(
    "source",
    [
        "torch.linalg.solve(inverse, x)",
        "torch.cholesky_solve(x, factor)",
        "torch.linalg.solve_triangular(a, x, upper=True)",
        "a.qr()",
        "torch.pdist(rows)",
        "torch.matrix_exp(a)",
    ],
)
def test_a_matrix_product_in_disguise_is_pointed_out(source):
    (sign,) = signs(source, ["matrix products"])
    assert sign.endswith("is it a matrix product?")
    assert signs(source, ["attention"]) == []


@pytest.mark.parametrize(
    ("source", "does"),
    [
        ("import threading", "no call is watched"),
        ("os.system('python work.py')", "no call is watched"),
        ("exec(inspect.getsource(module))", "does not stand in the answer"),
        ("torch.ops.aten.mm(a, b)", "inner functions"),
        ("with torch._C.DisableTorchFunction():\n    pass", "inner functions"),
    ],
)
def test_a_detour_is_pointed_out_where_something_is_forbidden(source, does):
    (sign,) = signs(source, ["attention"])
    assert does in sign
    assert signs(source, []) == []
    assert "reaches into the judge" in signs("import nbjudge.inside.testing.by_hand", [])[0]


def test_an_honest_answer_points_to_nothing():
    honest = "model.eval()\nprint(torch.__version__)\nfrom nbjudge.testing import call"
    assert signs(honest, ["attention", "autograd"]) == []


def test_what_is_forbidden_of_pytorch_is_compared_with_too():
    names = {name for name, _ in forbidden_files(["attention", "recurrent nets"])}
    assert {"torch/nn/functional.py", "torch/nn/modules/rnn.py", "tfcourse/attention.py"} <= names


@pytest.mark.parametrize("problem_set", problem_set_names(COURSE))
def test_no_solution_looks_copied(problem_set):
    path = COURSE / "solutions" / problem_set / f"{problem_set}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    kinds: dict[str, set[str]] = {}
    for cell in filter(cells.is_test, notebook.cells):
        exercise = cells.exercise_of(cells.grade_id(cell))
        kinds.setdefault(exercise, set()).update(forbidden(cell.source) or ())
    for exercise, source in solution_of(notebook).items():
        part, file = likeness(source, kinds.get(exercise, ()))
        assert part < MUCH, f"{exercise}: {part:.0%} as in {file}"
        assert signs(source, kinds.get(exercise, ())) == [], exercise
