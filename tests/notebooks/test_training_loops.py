"""A lesson's training loops show their progress, so that no reader waits at a silent cell."""

import ast
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from coursebook import course

ROOT = course.root(Path(__file__).parent)

#: A loop of this many steps or fewer is over before a bar would appear.
FEW = 50


def calls(node: ast.AST) -> set[str]:
    """The names of the functions and methods that are called in it."""
    called = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return {
        one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in called
    }


def silent_loops(source: str) -> Iterator[int]:
    """The lines of the loops that train, may take long and show no progress."""
    for loop in ast.walk(ast.parse(source)):
        if not isinstance(loop, ast.For) or not {"backward", "step"} <= calls(loop):
            continue
        words = ast.unparse(loop.iter).removeprefix("range(").removesuffix(")")
        few = words.isdigit() and int(words) <= FEW
        if not few and "progress_bar" not in calls(loop.iter):
            yield loop.lineno


@pytest.mark.parametrize("path", course.chapter_paths(ROOT), ids=lambda path: path.stem)
def test_every_long_training_loop_shows_its_progress(path):
    silent = {
        cell.id: lines
        for cell in nbformat.read(path, 4).cells
        if cell.cell_type == "code" and ".backward()" in cell.source
        if (lines := list(silent_loops(cell.source)))
    }
    assert not silent, "write `for ... in progress_bar(...)` in these lines of these cells"


def test_a_silent_loop_is_found():
    body = ":\n    loss.backward()\n    optimiser.step()\n"
    assert list(silent_loops("for n in range(51)" + body)) == [1]
    assert list(silent_loops("for n in range(steps)" + body)) == [1]
    assert not list(silent_loops("for n in progress_bar(range(steps))" + body))
    assert not list(silent_loops("for n in range(50)" + body))
    assert not list(silent_loops("for n in range(steps):\n    loss.backward()\n"))
