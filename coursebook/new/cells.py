"""Cells made from a template, run by the project's own executor and put into a notebook."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from coursebook import executor
from coursebook.hygiene import INSTALL
from coursebook.new.changes import Refused

TEMPLATES = Path(__file__).with_name("templates")

#: The line above each cell of a template: its kind, its id, and more that the kind needs.
_HEAD = re.compile(r"^%% (?P<kind>\w+) (?P<id>\S+)(?: (?P<more>.+))?\n", re.MULTILINE)


def template(name: str, /, **words: str) -> str:
    """The text of a template; ``@LESSON@`` in it stands for the word ``lesson``."""
    text = (TEMPLATES / f"{name}.txt").read_text("utf-8")
    for key, word in words.items():
        text = text.replace(f"@{key.upper()}@", word)
    return text


def cells(name: str, /, **words: str) -> list[NotebookNode]:
    """The cells of a template; see :func:`template`."""
    text = template(name, **words)
    heads = list(_HEAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        _cell(head["kind"], head["id"], head["more"] or "", text[head.end() : end].strip("\n"))
        for head, end in zip(heads, ends, strict=True)
    ]


def _cell(kind: str, name: str, more: str, source: str) -> NotebookNode:
    if kind == "markdown":
        return new_markdown_cell(source, id=name)
    return new_code_cell(source, id=name, metadata=_metadata(kind, name, more))


def _metadata(kind: str, name: str, more: str) -> dict:
    graded = {"grade_id": name, "schema_version": 3, "task": False}
    match kind:
        case "folded":
            show = {"code_prompt_show": f"Show {more}", "code_prompt_hide": f"Hide {more}"}
            hidden = {"source_hidden": True}
            return {"tags": ["hide-input"], "jupyter": hidden, "mystnb": show}
        case "claim":
            return {"tags": ["claim"]}
        case "locked":
            return {"nbgrader": graded | {"grade": False, "locked": True, "solution": False}}
        case "answer":
            return {"nbgrader": graded | {"grade": False, "locked": False, "solution": True}}
        case "test":
            own = {"grade": True, "locked": True, "solution": False, "points": int(more)}
            return {"nbgrader": graded | own}
    return {}


def install_cell(lesson: Path) -> NotebookNode:
    """The cell of a lesson that installs the course if it is missing: it is the same in all."""
    return next(cell for cell in read(lesson).cells if cell.id == INSTALL)


def read(path: Path) -> NotebookNode:
    """The notebook in a file."""
    return nbformat.read(path, as_version=4)


def written(notebook: NotebookNode) -> str:
    """A notebook as the text of its file."""
    return nbformat.writes(notebook) + "\n"


def notebook_of(cells: Sequence[NotebookNode], metadata: dict) -> NotebookNode:
    """A notebook of these cells."""
    return new_notebook(cells=list(cells), metadata=metadata, nbformat_minor=5)


def put(notebook: NotebookNode, cells: Sequence[NotebookNode], heading: str = "") -> None:
    """Put cells before the cell with a heading, or at the end."""
    for one in cells:
        if one.id in {cell.id for cell in notebook.cells}:
            raise Refused(f"there is a cell {one.id!r} already: choose another name.")
    starts = re.compile(rf"^{re.escape(heading)}", re.MULTILINE)
    there = (i for i, cell in enumerate(notebook.cells) if starts.search(cell.source))
    place = next(there, len(notebook.cells)) if heading else len(notebook.cells)
    notebook.cells[place:place] = cells


def number(notebook: NotebookNode) -> None:
    """Number the code cells as after a run from the top."""
    code = (cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
    for count, cell in enumerate(code, start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count


def run(cells: Sequence[NotebookNode], root: Path) -> NotebookNode:
    """A notebook of these cells with their outputs, as the executor stores them.

    Raises
    ------
    Refused
        If a cell fails.
    """
    ours = {"TFCOURSE_ROOT": str(root), "PYTHONPATH": str(root)}
    with tempfile.TemporaryDirectory() as folder, executor.environment_with(ours):
        path = Path(folder) / "cells.ipynb"
        path.write_text(written(notebook_of(cells, {})), "utf-8")
        try:
            notebook, _ = executor.execute(path)
        except CellExecutionError as error:
            raise Refused(
                f"the new cells do not run here: {error.ename}: {error.evalue} "
                "Run `tfcourse doctor`."
            ) from None
    return notebook
