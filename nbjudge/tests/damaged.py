"""Right answers in notebooks that something has happened to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from small_set import RIGHT, answered, cell, release_of

STUB = "def double(x):\n    raise NotImplementedError"


def _place(notebook: NotebookNode, grade_id: str) -> int:
    return notebook.cells.index(cell(notebook, grade_id))


def _stubbed(course: Path) -> NotebookNode:
    """The answer `double` is still the stub; the others are right."""
    notebook = answered(course)
    cell(notebook, "double").source = cell(release_of(course), "double").source
    return notebook


def retyped(course: Path) -> NotebookNode:
    """The answer's cell was deleted and typed again, at its place."""
    notebook = answered(course)
    notebook.cells[_place(notebook, "double")] = new_code_cell(RIGHT["double"])
    return notebook


def without_metadata(course: Path) -> NotebookNode:
    """Neither nbgrader's metadata nor ids are left."""
    notebook = answered(course)
    for one in notebook.cells:
        one.metadata = {}
        one.pop("id", None)
    notebook.nbformat_minor = 4
    return notebook


def above_the_stub(course: Path) -> NotebookNode:
    """The stub is left alone; the answer stands in a cell of the learner's, before it."""
    notebook = _stubbed(course)
    notebook.cells.insert(_place(notebook, "double"), new_code_cell(RIGHT["double"]))
    return notebook


def at_the_top(course: Path) -> NotebookNode:
    """As before, but other cells of the problem set stand between them."""
    notebook = _stubbed(course)
    notebook.cells.insert(0, new_code_cell(RIGHT["double"]))
    return notebook


def at_the_end(course: Path) -> NotebookNode:
    """As before, but at the end of the notebook."""
    notebook = _stubbed(course)
    notebook.cells.append(new_code_cell(RIGHT["double"]))
    return notebook


def raw(course: Path) -> NotebookNode:
    """The answer's cell was turned into a raw cell, as the key R does."""
    notebook = answered(course)
    old = cell(notebook, "double")
    new = new_raw_cell(old.source, id=old.id, metadata=old.metadata)
    notebook.cells[notebook.cells.index(old)] = new
    return notebook


def raw_and_nameless(course: Path) -> NotebookNode:
    """A raw cell, and its metadata is lost."""
    notebook = answered(course)
    notebook.cells[_place(notebook, "double")] = new_raw_cell(RIGHT["double"])
    return notebook


def in_two_cells(course: Path) -> NotebookNode:
    """A draft at the top and, further down, the answer that came of it."""
    notebook = retyped(course)
    notebook.cells.insert(0, new_code_cell("def double(x):\n    return 0"))
    return notebook


def untouched_copy_last(course: Path) -> NotebookNode:
    """The answer's cell was copied, metadata and all; the answer is in the first of the two."""
    notebook = answered(course)
    copy = nbformat.from_dict(dict(cell(release_of(course), "double")))
    copy.id = "copy"
    notebook.cells.insert(_place(notebook, "double") + 1, copy)
    return notebook


def all_in_one_cell(course: Path) -> NotebookNode:
    """Both functions stand in one cell; their own cells were deleted."""
    notebook = answered(course)
    both = new_code_cell(f"{RIGHT['double']}\n\n\n{RIGHT['sum-squares']}")
    notebook.cells[_place(notebook, "double")] = both
    del notebook.cells[_place(notebook, "sum-squares")]
    return notebook


def written_beside_the_stub(course: Path) -> NotebookNode:
    """The written answer stands in a cell below its own."""
    notebook = answered(course, explain="YOUR ANSWER HERE")
    notebook.cells.append(new_markdown_cell(RIGHT["explain--written"]))
    return notebook


#: All of them by name. In each, every answer is right.
DAMAGED: dict[str, Callable[[Path], NotebookNode]] = {
    make.__name__.replace("_", "-"): make
    for make in (
        retyped,
        without_metadata,
        above_the_stub,
        at_the_top,
        at_the_end,
        raw,
        raw_and_nameless,
        in_two_cells,
        untouched_copy_last,
        all_in_one_cell,
        written_beside_the_stub,
    )
}


def content(notebook: NotebookNode) -> bytes:
    """The file as it is handed in."""
    return json.dumps(notebook).encode()
