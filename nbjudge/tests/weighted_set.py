"""A problem set to which a file of tensors is handed in, and a course that holds it."""

from __future__ import annotations

from pathlib import Path

import nbformat
import torch
from made_course import TEST, cell, code, notebook_of, put_into, release_in
from nbformat.v4 import new_code_cell
from safetensors.torch import save
from small_set import SANDBOXED

from nbjudge.intake.release import make_release
from nbjudge.judge import Limits
from nbjudge.run import engine
from nbjudge.store.results import Report

NAME, FILE = "ps98-weights", "line.safetensors"

SETUP = """\
from pathlib import Path

import torch
from torch import nn

from nbjudge.testing import *

weights = enclosed("line.safetensors", kilobytes=2)
made = []
"""

#: What would make the file if it were missing: it is never to run where work is graded.
OPEN = """\
if not Path("line.safetensors").is_file():
    Path("line.safetensors").write_bytes(b"made while being graded")
    raise RuntimeError("made anew")
"""

LINE = """\
def load(tensors):
    ### BEGIN SOLUTION
    model = nn.Linear(2, 1, bias=False)
    model.load_state_dict(tensors)
    return model
    ### END SOLUTION


def line(model, x):
    ### BEGIN SOLUTION
    return model(x)[:, 0]
    ### END SOLUTION
"""

VALUES = """\
by_hand()
tensors = weights.tensors()
model = build(load, tensors)
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
close(call(line, model, x), x @ tensors["weight"][0], "The values")
### BEGIN HIDDEN TESTS
x = torch.rand(4, 2, generator=fresh("line--values"))
close(call(line, model, x), x @ tensors["weight"][0], "The values of hidden numbers")
measured("slope", float(tensors["weight"][0, 0]))
measured("numbers", sum(tensor.numel() for tensor in tensors.values()))
### END HIDDEN TESTS
"""

#: Its points must wait where no values are right: zeros pass it.
SAME = """\
by_hand()
model = build(load, weights.tensors())
x = torch.ones(3, 2)
found = call(line, model, x)
require(bool((found == found[0]).all()), "Equal rows get other values.")
### BEGIN HIDDEN TESTS
x = torch.rand(1, 2, generator=fresh("line--same")).expand(3, 2)
found = call(line, model, x)
require(bool((found == found[0]).all()), "Equal rows get other values.")
### END HIDDEN TESTS
"""


def weights(slope: float = 2.0) -> bytes:
    """A file that fits."""
    return save({"weight": torch.tensor([[slope, 1.0]])})


def make_course(folder: Path) -> Path:
    """A course with the set in it, the instructor's own file, and the release made."""
    notebook = notebook_of(
        [
            code("setup", SETUP, locked=True),
            code("line", LINE, solution=True),
            new_code_cell(OPEN.strip(), id="open"),
            code("line--values", VALUES, **TEST, points=4),
            code("line--same", SAME, **TEST, points=2),
        ]
    )
    (put_into(folder, NAME, notebook) / FILE).write_bytes(weights())
    make_release(NAME, folder)
    return folder


#: A right answer, and one that computes nothing.
RIGHT = """\
def load(tensors):
    model = nn.Linear(2, 1, bias=False)
    model.load_state_dict(tensors)
    return model


def line(model, x):
    return model(x).flatten()
"""
ZEROS = RIGHT.replace("model(x).flatten()", "0 * model(x).flatten()")


def hand_in(
    course: Path, submitted: Path, student: str, content: bytes | None, answer: str = RIGHT
) -> Path:
    """Put a learner's notebook and file where they hand in; gives the folder."""
    notebook = release_in(course, NAME)
    cell(notebook, "line").source = answer
    folder = submitted / student / NAME
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{NAME}.ipynb")
    if content is not None:
        (folder / FILE).write_bytes(content)
    return folder


def grade(submitted: Path, into: Path, course: Path) -> Report:
    """Grade a class on it."""
    limits = Limits(call_seconds=3, cell_seconds=5)
    return engine.grade(
        NAME, submitted, into, course=course, limits=limits, workers=1, sandboxed=SANDBOXED
    )
