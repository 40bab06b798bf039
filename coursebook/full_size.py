"""A notebook's output at full size, kept for its page.

The notebook stores what its cells print on a laptop. ``make gpu`` runs it once more with
``TFCOURSE_SIZE=full``, and a record keeps the output of the cells that printed something
different. The site shows both (:mod:`coursebook.sphinx.full_size`). Images come only from the
laptop's run.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from nbformat import NotebookNode

from coursebook import course


def record_name(notebook: Path) -> str:
    """``full-size-05-self-attention``, or ``full-size-05-self-attention-evidence``."""
    return f"full-size-{course.short_name(notebook).replace('/', '-')}"


def digest(cell: NotebookNode) -> str:
    """A hash of a cell's source, which tells whether the cell has changed since it was run."""
    return hashlib.sha256(cell.source.encode()).hexdigest()[:16]


def printed(cell: NotebookNode) -> str:
    """What a cell printed, plus its result if that is plain text."""
    found = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream" and output.name == "stdout":
            found.append(output.text)
        elif output.output_type == "execute_result" and set(output.data) == {"text/plain"}:
            found.append(output.data["text/plain"])
    return "".join(found).rstrip()


def beside(laptop: NotebookNode, full: NotebookNode) -> dict[str, dict[str, str]]:
    """The cells that printed something else at full size: id → ``cell`` (digest), ``printed``.

    Parameters
    ----------
    laptop, full:
        The notebook with the outputs of each size.
    """
    stored = {cell.id: printed(cell) for cell in laptop.cells}
    return {
        cell.id: {"cell": digest(cell), "printed": said}
        for cell in full.cells
        if cell.cell_type == "code" and (said := printed(cell)) and said != stored.get(cell.id)
    }
