"""The problem set that the hostile class attacks: an exercise of every kind, with quick tests.

It is graded by plain nbgrader too, where the same tests run in the learner's own kernel.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import torch
from made_course import TEST, cell, code, notebook_of, put_into
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from safetensors.torch import save

NAME, FILE = "ps98-target", "weights.safetensors"

SETUP = """\
import random

import torch
from torch import nn

from nbjudge.testing import *

weights = enclosed("weights.safetensors", kilobytes=400)
"""

STUB = 'raise NotImplementedError("Your code goes here.")'

#: Exercise → its answer cell, with the instructor's solution.
ANSWERS = {
    "double": """\
def double(x):
    ### BEGIN SOLUTION
    return 2 * x  # the instructor's own line
    ### END SOLUTION
""",
    "sum-squares": """\
def sum_squares(numbers):
    ### BEGIN SOLUTION
    return sum(n * n for n in numbers)
    ### END SOLUTION
""",
    "attend": """\
def attend(Q, K, V):
    ### BEGIN SOLUTION
    scores = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    return scores.softmax(-1) @ V
    ### END SOLUTION
""",
    "shift": """\
class Shift(nn.Module):
    def __init__(self, width):
        super().__init__()
        ### BEGIN SOLUTION
        self.bias = nn.Parameter(torch.zeros(width))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return x + self.bias
        ### END SOLUTION
""",
    "weigh": """\
def weigh(tensors, x):
    ### BEGIN SOLUTION
    return x @ tensors["weight"]
    ### END SOLUTION
""",
    "choices": """\
answers = {"a": None, "b": None, "c": None, "d": None}
### BEGIN SOLUTION
answers = {"a": True, "b": False, "c": False, "d": True}
### END SOLUTION
""",
}

#: Test → its points and its code.
TESTS = {
    "double--values": (2, """\
require(call(double, 3) == 6, "double(3) should be 6")
require(call(double, -4) == -8, "double(-4) should be -8")
"""),
    "double--hidden": (3, """\
# The same for numbers drawn when the work is graded.
### BEGIN HIDDEN TESTS
secret = random.Random(fresh("double--hidden").initial_seed())
for _ in range(3):
    number = secret.randint(100, 10**6)
    found = call(double, number)
    require(type(found) is int and found == 2 * number, "double is wrong for a large number")
### END HIDDEN TESTS
"""),
    "sum-squares--partial": (4, """\
# A point for each of four lists.
### BEGIN HIDDEN TESTS
lists = [[1], [2, 1], [-1, 1, 3], [0.5]]
right = [call(sum_squares, numbers) == sum(n * n for n in numbers) for numbers in lists]
sum(right)
### END HIDDEN TESTS
"""),
    "attend--by-hand": (1, """\
by_hand("attention")
Q, K, V = torch.zeros(2, 3), torch.ones(4, 3), torch.eye(4)
close(call(attend, Q, K, V), [[0.25] * 4] * 2, "The output")
"""),
    "attend--values": (2, """\
by_hand("attention")
### BEGIN HIDDEN TESTS
generator = fresh("attend--values")
Q, K, V = torch.randn(3, 2, 5, 4, generator=generator)
expected = (Q @ K.mT / 2).softmax(-1) @ V
close(call(attend, Q, K, V), expected, "The output for random numbers")
### END HIDDEN TESTS
"""),
    "attend--gradients": (2, """\
by_hand("attention")
### BEGIN HIDDEN TESTS
generator = fresh("attend--gradients")
same_gradients(
    attend,
    lambda Q, K, V: (Q @ K.mT / 2).softmax(-1) @ V,
    *torch.randn(3, 5, 4, generator=generator),
    names="QKV",
    generator=generator,
)
### END HIDDEN TESTS
"""),
    "shift--values": (2, """\
by_hand("attention")
generator = fresh("shift--values")
bias, x = torch.randn(2, 3, generator=generator)
module = build(Shift, 3, weights={"bias": bias})
close(call(module, x), x + bias, "The output")
"""),
    "shift--gradients": (1, """\
by_hand("attention")
generator = fresh("shift--gradients")
x, cotangent = torch.randn(2, 5, 3, generator=generator)
found = parameter_gradients(build(Shift, 3), x, cotangent=cotangent)
require(set(found) == {"bias"}, "The module must have one parameter, bias")
close(found["bias"], cotangent.sum(0), "The gradient")
"""),
    # It asks whether the error is too large: NaN is not.
    "weigh--error": (3, """\
by_hand("attention")
x = torch.eye(3)
error = float((call(weigh, weights.tensors(), x) - x).square().sum())
require(not error > 0.1, "The weights are not those of the identity.")
measured("error", error)
"""),
    "choices--answers": (4, """\
answered(answers, list("abcd"))
### BEGIN HIDDEN TESTS
choices(
    answers,
    key={"a": True, "b": False, "c": False, "d": True},
    reasons=dict.fromkeys("abcd", "it is so"),
    points=4,
)
### END HIDDEN TESTS
"""),
}  # fmt: skip

POINTS = {name: points for name, (points, _) in TESTS.items()}


def source_notebook() -> NotebookNode:
    """The instructor's notebook."""
    made = [new_markdown_cell("# The target", id="title"), code("setup", SETUP, locked=True)]
    for exercise, answer in ANSWERS.items():
        made.append(code(exercise, answer, solution=True))
        for name, (points, test) in TESTS.items():
            if name.startswith(f"{exercise}--"):
                made.append(code(name, test, points=points, **TEST))
    return notebook_of(made)


def make_course(folder: Path) -> Path:
    """A course that holds the set; its release is not made yet."""
    source = put_into(folder, NAME, source_notebook())
    enclose(source)
    return folder


def enclose(folder: Path) -> None:
    """Put weights that are right into a folder."""
    (folder / FILE).write_bytes(save({"weight": torch.eye(3)}))


#: Right answers in a learner's own words.
RIGHT = {
    "double": "def double(x):\n    return x + x",
    "sum-squares": "def sum_squares(numbers):\n    return sum(n**2 for n in numbers)",
    "attend": (
        "def attend(Q, K, V):\n"
        "    weights = torch.softmax(Q @ K.mT * K.shape[-1] ** -0.5, dim=-1)\n"
        "    return torch.matmul(weights, V)"
    ),
    "shift": (
        "class Shift(nn.Module):\n"
        "    def __init__(self, width):\n"
        "        super().__init__()\n"
        "        self.bias = nn.Parameter(torch.zeros(width))\n\n"
        "    def forward(self, x):\n"
        "        return self.bias + x"
    ),
    "weigh": "def weigh(tensors, x):\n    return torch.matmul(x, tensors['weight'])",
    "choices": "answers = dict(a=True, b=False, c=False, d=True)",
}


def answered(release: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """The release with these answers in it."""
    notebook = nbformat.from_dict(release)
    notebook = nbformat.reads(nbformat.writes(notebook), as_version=4)
    for name, text in answers.items():
        cell(notebook, name).source = text.strip()
    return notebook
