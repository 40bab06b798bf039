"""Honest work, complete and right, each piece of it odd in one way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import target_set
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

#: Oddity → answers that stand in place of the common ones, by exercise.
ANSWERS: dict[str, dict[str, str]] = {
    "warnings": {
        "double": """
import sys
import warnings

def double(x):
    warnings.warn("this is deprecated", DeprecationWarning)
    print("careful!", file=sys.stderr)
    return 2 * x

warnings.warn("so is this")
""",
    },
    "prints": {
        "sum-squares": """
def sum_squares(numbers):
    total = 0
    for number in numbers:
        print("now", number, "total", total)
        total += number**2
    print("done " * 2000)
    return total

print(sum_squares([1, 2, 3]))
sum_squares([4])
""",
    },
    "plots": {
        "double": """
import matplotlib.pyplot as plt

def double(x):
    return x * 2

plt.plot([double(x) for x in range(10)])
plt.title("doubles")
plt.show()
""",
    },
    "progress bars": {
        "sum-squares": """
import sys
import time

def bar(items):
    for done, item in enumerate(items, 1):
        print(f"\\r{done}/{len(items)} [{'#' * done}]", end="", file=sys.stderr, flush=True)
        time.sleep(0.001)
        yield item

def sum_squares(numbers):
    return sum(n * n for n in bar(numbers))
""",
    },
    "other names": {
        "attend": """
def attend(q, k, v, *, temperature=None):
    similarity = torch.einsum("...td,...sd->...ts", q, k)
    similarity = similarity / (temperature or q.shape[-1]) ** 0.5
    return torch.einsum("...ts,...sv->...tv", torch.softmax(similarity, -1), v)
""",
        "double": "def double(number, times=2):\n    return sum([number] * times)",
    },
    "type hints": {
        "attend": """
from typing import TypeAlias
from jaxtyping import Float
from torch import Tensor

Matrix: TypeAlias = Float[Tensor, "... T D"]

def attend(Q: Matrix, K: Matrix, V: Matrix) -> Matrix:
    scale: float = Q.size(-1) ** -0.5
    weights: Tensor = (scale * Q @ K.mT).softmax(dim=-1)
    return weights @ V
""",
        "double": "def double(x: int) -> int:\n    y: int = x << 1\n    return y",
    },
    "compiled": {
        "attend": """
@torch.compile(backend="eager")
def attend(Q, K, V):
    return torch.softmax(Q @ K.mT / Q.shape[-1] ** 0.5, -1) @ V

optimiser = torch.optim.Adam([torch.nn.Parameter(torch.ones(1))])
optimiser.step()
""",
    },
    "a class for a function": {
        "double": """
class Doubler:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.by * x

double = Doubler(2)
""",
        "attend": """
class Attention(nn.Module):
    def forward(self, Q, K, V):
        return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V

attend = Attention()
""",
    },
    "partial and lambda": {
        "double": "import functools, operator\ndouble = functools.partial(operator.mul, 2)",
        "sum-squares": "sum_squares = lambda numbers: sum(map(lambda n: n * n, numbers))",
    },
    "float64": {
        "attend": """
def attend(Q, K, V):
    scores = Q.double() @ K.double().mT / Q.shape[-1] ** 0.5
    return (scores.softmax(-1) @ V.double()).to(V.dtype)
""",
        "sum-squares": """
import math

def sum_squares(numbers):
    return math.fsum(float(n) ** 2 for n in numbers)
""",
    },
    "non-contiguous results": {
        "attend": """
def attend(Q, K, V):
    weights = (K @ Q.mT / Q.shape[-1] ** 0.5).softmax(-2)
    return (V.mT @ weights).mT
""",
    },
    "NumPy's numbers": {
        "sum-squares": """
import numpy as np

def sum_squares(numbers):
    return (np.asarray(numbers) ** 2).sum()
""",
    },
    "decorators": {
        "double": """
from functools import cache, wraps

def logged(f):
    @wraps(f)
    def inner(*args, **kwargs):
        inner.calls += 1
        return f(*args, **kwargs)

    inner.calls = 0
    return inner

@logged
@cache
def double(x):
    return x + x
""",
    },
    "recursion and names in Greek": {
        "sum-squares": """
def sum_squares(αριθμοί):
    if not αριθμοί:
        return 0
    πρώτος, *άλλοι = αριθμοί
    return πρώτος**2 + sum_squares(άλλοι)
""",
    },
    "magics": {
        "double": """%%time
def double(x):
    return 2 * x
""",
        "sum-squares": """
%matplotlib inline
%load_ext autoreload
!echo a line of the shell
def sum_squares(numbers):
    return sum(n * n for n in numbers)
%timeit -n 1 -r 1 sum_squares([1, 2])
""",
    },
    "await at top level": {
        "double": """
import asyncio

async def doubled(x):
    await asyncio.sleep(0)
    return 2 * x

await doubled(4)

def double(x):
    return x + x
""",
    },
    "threads": {
        "sum-squares": """
import threading
from concurrent.futures import ThreadPoolExecutor

threading.Thread(target=print).start()

def sum_squares(numbers):
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda n: n * n, numbers))
""",
    },
    "files of its own": {
        "double": """
import json, tempfile
from pathlib import Path

Path("table.json").write_text(json.dumps({"by": 2}))

def double(x):
    with tempfile.TemporaryFile() as scratch:
        scratch.write(b"x")
    return json.loads(Path("table.json").read_text())["by"] * x
""",
    },
    "a module of another shape": {
        "shift": """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros(()))
        self.norm = nn.Identity()

class Shift(Base):
    scale = 1.0

    def __init__(self, width, /):
        super().__init__()
        self.register_parameter("bias", nn.Parameter(torch.randn(width) * 0.1))

    def forward(self, x):
        self.steps += 1
        return torch.add(self.norm(x), self.bias)
""",
    },
    "answers in another dict": {
        "choices": """
from collections import defaultdict

answers = defaultdict(lambda: False)
for letter in "abcd":
    answers[letter] = letter in "ad"
""",
    },
    "a default device": {
        "double": """
torch.set_default_device("cpu")

def double(x):
    with torch.device("cpu"):
        return x + x + 0 * int(torch.zeros(()))
""",
    },
    "checks and files of PyTorch": {
        "attend": """
torch.use_deterministic_algorithms(True)
torch.save({"scale": torch.tensor(0.5)}, "scale.pt")
assert torch.load("scale.pt")["scale"] == 0.5

def attend(Q, K, V):
    weights = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    return weights @ V
""",
    },
    "random numbers and a seed": {
        "double": """
import random

torch.manual_seed(0)
random.seed(0)

def double(x):
    random.random()
    return x + x + 0 * torch.randint(3, ()).item()
""",
    },
}


def _with_cells(notebook: NotebookNode, after: str, *sources: str) -> None:
    place = notebook.cells.index(target_set.cell(notebook, after)) + 1
    notebook.cells[place:place] = [new_code_cell(source) for source in sources]


def _extra_cells(notebook: NotebookNode) -> None:
    """Trying things out, with an error among them."""
    notebook.cells.insert(0, new_code_cell("1 / 0"))
    notebook.cells.insert(1, new_markdown_cell("## My notes"))
    _with_cells(notebook, "double", "double(21)", "undefined_name", "%who")
    notebook.cells.append(new_code_cell("raise RuntimeError('the end')"))


def _helpers_over_cells(notebook: NotebookNode) -> None:
    """Helpers before the answer, and after it."""
    target_set.cell(notebook, "double").source = "def double(x):\n    return add(x, same(x))"
    _with_cells(notebook, "setup", "def same(x):\n    return x")
    _with_cells(notebook, "double", "def add(x, y):\n    return x + y")


def _all_in_one_cell(notebook: NotebookNode) -> None:
    """All the work in a cell of their own; the answers' cells say so."""
    work = "\n\n".join(target_set.RIGHT.values())
    _with_cells(notebook, "setup", work)
    for exercise in ("double", "sum-squares", "attend", "shift"):
        target_set.cell(notebook, exercise).source = "# see above"


def _outputs_kept(notebook: NotebookNode) -> None:
    """Run many times before, with outputs, widgets' state and collapsed cells."""
    for number, cell in enumerate(notebook.cells):
        cell.metadata.update(collapsed=True, jupyter={"source_hidden": True})
        if cell.cell_type == "code":
            cell.execution_count = 1000 - number
            cell.outputs = [
                new_output("stream", name="stderr", text="an old warning"),
                new_output("error", ename="E", evalue="old", traceback=["old"]),
            ]
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}


def _kernel_of_another_name(notebook: NotebookNode) -> None:
    """The kernel is called `python311`, and the language says more than it need."""
    notebook.metadata["kernelspec"] = {"name": "python311", "display_name": "Python 3.11 (torch)"}
    notebook.metadata["language_info"] = {"name": "python", "version": "3.11.99"}


def _no_ids(notebook: NotebookNode) -> None:
    """From an editor of the format before cells had ids, which drops what it does not know."""
    notebook.nbformat_minor = 2
    for cell in notebook.cells:
        cell.pop("id", None)


#: Oddity → what is done to the notebook.
NOTEBOOKS: dict[str, Callable[[NotebookNode], None]] = {
    "extra cells": _extra_cells,
    "helpers split over cells": _helpers_over_cells,
    "all in one cell": _all_in_one_cell,
    "outputs kept": _outputs_kept,
    "a kernel called python311": _kernel_of_another_name,
    "no ids": _no_ids,
}

#: Oddity → the file's name and how the notebook is written to it.
FILES: dict[str, tuple[str, Callable[[str], bytes]]] = {
    "CRLF": (
        f"{target_set.NAME}.ipynb",
        lambda text: text.replace("\\n", "\\r\\n").replace("\n", "\r\n").encode(),
    ),
    "a renamed file": (f"{target_set.NAME} (2) final.ipynb", str.encode),
    "a byte order mark": (f"{target_set.NAME}.ipynb", lambda text: text.encode("utf-8-sig")),
    "UTF-16": (f"{target_set.NAME}.ipynb", lambda text: text.encode("utf-16")),
    "one line": (
        f"{target_set.NAME}.ipynb",
        lambda text: json.dumps(json.loads(text), separators=(",", ":")).encode(),
    ),
}

ODDITIES = [*ANSWERS, *NOTEBOOKS, *FILES]


def _shared() -> dict[str, str]:
    """Oddity → the learner who hands it in: one has several, of different exercises."""
    taken: dict[str, set[str]] = {}
    learners = {}
    for oddity, answers in ANSWERS.items():
        free = (name for name, others in taken.items() if not others & answers.keys())
        learners[oddity] = next(free, oddity)
        taken.setdefault(learners[oddity], set()).update(answers)
    return learners


#: Oddity → the learner whose work is odd in this way.
LEARNERS = _shared() | {oddity: oddity for oddity in (*NOTEBOOKS, *FILES)}


def hand_in_all(submitted: Path, release: NotebookNode) -> None:
    """Write everybody's work to ``submitted``."""
    for learner in set(LEARNERS.values()):
        answers = dict(target_set.RIGHT)
        for oddity, own in ANSWERS.items():
            answers |= own if LEARNERS[oddity] == learner else {}
        notebook = target_set.answered(release, answers)
        if learner in NOTEBOOKS:
            NOTEBOOKS[learner](notebook)
        name, encoded = FILES.get(learner, (f"{target_set.NAME}.ipynb", str.encode))
        path = submitted / learner / target_set.NAME / name
        path.parent.mkdir(parents=True)
        path.write_bytes(encoded(json.dumps(notebook, indent=1)))
        target_set.enclose(path.parent)
