"""The first code cell of a notebook that is given out: it installs the course where it is missing,
as on Colab."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tfcourse.grading import cells

_INSTALL = """\
# On Colab this installs what the notebook needs. Elsewhere it
# does nothing.
import importlib.util

if importlib.util.find_spec("tfcourse") is None:
    source = "git+{address}"
    %pip install --quiet "tfcourse[learner] @ $source"
"""

_NO_ADDRESS = """\
# This notebook needs the course's own package.
import importlib.util

if importlib.util.find_spec("tfcourse") is None:
    print(
        "The package tfcourse is not installed for this kernel. "
        "Open the notebook with `make lab` or `tfcourse lab`, or "
        "choose Kernel > Change Kernel > Python 3 (ipykernel)."
    )
"""


def repository(course: Path) -> str:
    """The address of the course's repository, ``repository: {url: ...}`` in its ``_config.yml``;
    empty where it says none."""
    import yaml

    path = course / "_config.yml"
    said = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else None
    found = (said or {}).get("repository") or {}
    address = found.get("url", "") if isinstance(found, dict) else found
    return str(address or "").rstrip("/")


def first_cell(course: Path, *, graded: bool) -> NotebookNode:
    """The cell; in a notebook that is ``graded`` it is locked and carries no points."""
    address = repository(course)
    source = _INSTALL.replace("{address}", address) if address else _NO_ADDRESS
    cell = nbformat.v4.new_code_cell(source.strip(), id=cells.INSTALL)
    if graded:
        from nbgrader.utils import compute_checksum

        about = {"grade": False, "grade_id": cells.INSTALL, "locked": True, "solution": False}
        cell.metadata["nbgrader"] = {**about, "schema_version": 3, "task": False}
        cell.metadata |= {"deletable": False, "editable": False}
        cell.metadata["nbgrader"]["checksum"] = compute_checksum(cell)
    return cell


def put_first(notebook: NotebookNode, course: Path, *, graded: bool = False) -> None:
    """Put the cell before the notebook's other code, or in place of the one that is there."""
    kept = [cell for cell in notebook.cells if not cells.is_install(cell)]
    place = next((i for i, cell in enumerate(kept) if cell.cell_type == "code"), len(kept))
    notebook.cells = [*kept[:place], first_cell(course, graded=graded), *kept[place:]]
