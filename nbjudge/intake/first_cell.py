"""The first code cell of a learner's notebook, which installs the course on Colab.

A problem set gets it on release. ``python -m nbjudge.intake.first_cell NOTEBOOK...`` inserts it
into lessons and keeps their stored outputs.
"""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge.course import root
from nbjudge.files import write_whole
from nbjudge.inside.program import program
from nbjudge.intake import cells

#: In a lesson the site omits the cell, and JupyterLab folds it.
_IN_A_LESSON = {"jupyter": {"source_hidden": True}, "tags": ["remove-cell"]}

_INSTALL = """\
# On Colab and Kaggle this installs what the notebook needs.
# Elsewhere it does nothing.
import importlib.util

if importlib.util.find_spec("{package}") is None:
    source = "git+{address}"
{judge}    %pip install --quiet "{distribution}[colab] @ $source"
"""

_JUDGE = """\
    %pip install --quiet "nbjudge @ $source#subdirectory=nbjudge"
"""

_NO_ADDRESS = """\
# This notebook needs the course's own package.
import importlib.util

if importlib.util.find_spec("{package}") is None:
    print(
        "The package {package} is not installed for this kernel. "
        "Open the notebook with {lab} "
        "choose Kernel > Change Kernel > Python 3 (ipykernel)."
    )
"""


def repository(course: Path) -> str:
    """The address of the course's repository, or an empty string.

    Read from ``repository: {url: ...}`` in the course's ``_config.yml``.
    """
    import yaml

    path = course / "_config.yml"
    settings = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else None
    place = (settings or {}).get("repository") or {}
    address = place.get("url", "") if isinstance(place, dict) else place
    return str(address or "").rstrip("/")


def first_cell(course: Path, *, graded: bool) -> NotebookNode:
    """The cell; in a ``graded`` notebook Jupyter does not let it be edited."""
    judged = program()
    # Without a package of its own a course has nothing there to install, and no Makefile of ours.
    address = repository(course) if judged.packages else ""
    source = _INSTALL.replace("{address}", address) if address else _NO_ADDRESS
    with_it = (course / "nbjudge" / "pyproject.toml").is_file()  # in the same repository
    source = source.replace("{judge}", _JUDGE if with_it else "")
    lab = "`make lab` or `{command} lab`, or" if judged.packages else "`{command} lab`, or"
    source = source.replace("{lab}", lab)
    source = source.replace("{package}", (*judged.packages, "nbjudge")[0])
    source = source.replace("{distribution}", judged.distribution)
    source = source.replace("{command}", judged.command)
    cell = nbformat.v4.new_code_cell(source.strip(), id=cells.INSTALL)
    if graded:
        lock(cell)
    else:
        cell.metadata |= deepcopy(_IN_A_LESSON)
    return cell


def lock(cell: NotebookNode) -> None:
    """Have Jupyter refuse to edit or delete a cell.

    It has no nbgrader metadata: ``nbgrader autograde`` refuses a notebook in which a cell has a
    name that the instructor's notebook lacks.
    """
    cell.metadata |= {"deletable": False, "editable": False}


def needs_it(notebook: NotebookNode) -> bool:
    """Whether a notebook imports the course's packages or the judge's verbs."""
    names = "|".join(map(re.escape, (*program().packages, *program().tests_own, "nbjudge")))
    imports = re.compile(rf"^\s*(?:from|import)\s+(?:{names})\b", re.M)
    return any(cell.cell_type == "code" and imports.search(cell.source) for cell in notebook.cells)


def put_first(notebook: NotebookNode, course: Path, *, graded: bool = False) -> None:
    """Insert the cell before the notebook's other code, replacing an existing one.

    A graded notebook that uses neither the course's packages nor the judge's gets none.
    """
    kept = [cell for cell in notebook.cells if not cells.is_added(cell)]
    if graded and not needs_it(notebook):
        notebook.cells = kept
        return
    place = next((i for i, cell in enumerate(kept) if cell.cell_type == "code"), len(kept))
    notebook.cells = [*kept[:place], first_cell(course, graded=graded), *kept[place:]]


def put_into_lesson(path: Path, course: Path) -> bool:
    """Insert the cell into a lesson's file as if it had been run; return whether the file changed.

    Outputs are kept, and execution counts are renumbered as after a run from the top.
    """
    before = path.read_text("utf-8")
    lesson = nbformat.reads(before, as_version=4)
    put_first(lesson, course)
    code = [cell for cell in lesson.cells if cell.cell_type == "code" and cell.source.strip()]
    if all(cell.execution_count for cell in code if not cells.is_added(cell)):
        for count, cell in enumerate(code, start=1):
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    after = nbformat.writes(lesson) + "\n"
    if after != before:
        write_whole(path, after)
    return after != before


def main(paths: list[str]) -> None:
    """Insert the cell into each of these lessons, and print those that changed."""
    for path in map(Path, paths):
        if put_into_lesson(path, root(path.parent)):
            print(path)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
