"""A notebook's full-size output, shown below its laptop output.

Nothing is shown if the notebook has no record, or below a cell that has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from coursebook import course
from coursebook.full_size import digest, record_name


def record_of(env: BuildEnvironment, page: str) -> Path | None:
    """The path of a page's record, if the page is a notebook and has one."""
    notebook = Path(env.doc2path(page))
    if notebook.suffix != ".ipynb":
        return None
    return course.record_paths(Path(env.srcdir)).get(record_name(notebook))


def show(app: Sphinx, doctree: nodes.document) -> None:
    """Add each cell's full-size output below the cell."""
    path = record_of(app.env, app.env.docname)
    if path is None:
        return
    app.env.note_dependency(str(path))
    record = json.loads(path.read_text("utf-8"))
    notebook = nbformat.read(app.env.doc2path(app.env.docname), as_version=4)
    known = record["results"]["cells"]
    for container in doctree.findall(nodes.container):
        if container.get("nb_element") == "cell_code":
            cell = notebook.cells[container["cell_index"]]
            found = known.get(cell.id)
            if found and found["cell"] == digest(cell):
                said = f"At full size ({record['device']}, {record['date']}):"
                container += nodes.container(
                    "",
                    nodes.paragraph(text=said),
                    nodes.literal_block(text=found["printed"], language="none"),
                    classes=["cell_output", "full-size"],
                )


def outdated(app: Sphinx, env: BuildEnvironment, *changes: set[str]) -> Iterator[str]:
    """The pages that now have a record and had none when they were read."""
    for page in env.found_docs:
        path = record_of(env, page)
        if path and str(path) not in env.dependencies.get(page, set()):
            yield page


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", show)
    app.connect("env-get-outdated", outdated)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
