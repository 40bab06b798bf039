"""Cells, notebooks and courses, as the problem sets for these tests need them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import nbformat
from around import SMALL
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

#: What nbgrader notes on a test cell.
TEST = {"grade": True, "locked": True}


def metadata(grade_id: str, *, grade=False, solution=False, locked=False, points=None) -> dict:
    """What nbgrader notes on a cell."""
    about = {"grade_id": grade_id, "grade": grade, "solution": solution, "locked": locked}
    about |= {"schema_version": 3, "task": False}
    if points is not None:
        about["points"] = points
    return {"nbgrader": about}


def code(grade_id: str, source: str, **about) -> NotebookNode:
    """A code cell of nbgrader's."""
    return new_code_cell(source.strip(), id=grade_id, metadata=metadata(grade_id, **about))


def notebook_of(cells: Iterable[NotebookNode]) -> NotebookNode:
    """A notebook of these cells."""
    kernel = {"display_name": "Python 3", "name": "python3"}
    return new_notebook(cells=list(cells), metadata={"kernelspec": kernel})


def put_into(folder: Path, name: str, notebook: NotebookNode) -> Path:
    """Make a course of one problem set in a folder; gives the folder of its source."""
    source = folder / "solutions" / name
    source.mkdir(parents=True)
    (folder / "_toc.yml").touch()
    shutil.copy(SMALL / "nbgrader_config.py", folder)
    nbformat.write(notebook, source / f"{name}.ipynb")
    return source


def release_in(course: Path, name: str) -> NotebookNode:
    """What a learner of that course was given."""
    path = course / "notebooks" / "assignments" / name / f"{name}.ipynb"
    return nbformat.read(path, as_version=4)


def cell(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    """The cell of that grade id."""
    return next(
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )
