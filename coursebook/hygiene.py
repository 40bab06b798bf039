"""What a chapter must be, beyond what re-running it can show.

nbval compares outputs, but passes a notebook that was never run, a stored error, or a cell whose
output is ignored with no strict cell after it. These are checked here, without a kernel.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from nbformat import NotebookNode

from coursebook.numerics import Band

#: The tags a chapter's cells may carry.
TAGS = {
    "claim",
    "nbval-ignore-output",
    "raises-exception",
    "hide-input",
    "hide-output",
    "remove-cell",
}
LOOSE = "nbval-ignore-output"

#: The id of the cell that installs the course if it is missing.
INSTALL = "install"

#: The metadata keys allowed: kernels without a version, so that no machine changes the file.
_METADATA = {"kernelspec", "language_info", "tfcourse"}
_CODE_WIDTH = 72
#: The number of columns that fit on a wide page of the site.
_OUTPUT_WIDTH = 80


def problems(notebook: NotebookNode) -> list[str]:
    """What is wrong with a chapter's notebook, one line each; an empty list if nothing is."""
    return [*_whole(notebook), *_cells(notebook), *_text(notebook), *_bands(notebook)]


def _whole(notebook: NotebookNode) -> Iterator[str]:
    if extra := set(notebook.metadata) - _METADATA:
        yield f"metadata that the executor does not write: {', '.join(sorted(extra))}"
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "the kernel must be python3: run it with `tfcourse chapter`"
    ids = [cell.get("id") for cell in notebook.cells]
    for doubled in sorted({str(i) for i in ids if ids.count(i) > 1}):
        yield f"more than one cell has the id {doubled}"
    code = [c for c in notebook.cells if c.cell_type == "code" and c.source.strip()]
    counts = [cell.execution_count for cell in code]
    if counts != list(range(1, len(code) + 1)):
        yield "not run from top to bottom: run it with `tfcourse chapter`"
    if not code or code[0].get("id") != INSTALL:
        yield (
            "the first code cell must install the course if it is missing: "
            "python -m nbjudge.intake.first_cell NOTEBOOK"
        )
    elif "remove-cell" not in code[0].metadata.get("tags", []) or code[0].outputs:
        yield f"cell {INSTALL}: it must print nothing and have the tag remove-cell"


def _cells(notebook: NotebookNode) -> Iterator[str]:
    code = [c for c in notebook.cells if c.cell_type == "code"]
    for cell, after in zip(code, [*code[1:], None], strict=True):
        name = f"cell {cell.get('id')}"
        tags = set(cell.metadata.get("tags", []))
        if unknown := tags - TAGS:
            yield f"{name}: unknown tag {', '.join(sorted(unknown))}"
        if "execution" in cell.metadata:
            yield f"{name}: stores when it ran"
        if LOOSE in tags and (after is None or LOOSE in after.metadata.get("tags", [])):
            yield f"{name}: its output is not compared, and no strict cell follows that would be"
        if LOOSE in tags and "claim" in tags:
            yield f"{name}: a claim's verdict must be compared"
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in tags:
                yield f"{name}: ends in {output.ename}"
            if output.output_type == "stream" and output.name == "stderr":
                yield f"{name}: wrote to stderr"
            if "image/png" in output.get("data", {}):
                image = cell.metadata.get("mystnb", {}).get("image", {})
                if not image.get("alt"):
                    yield f"{name}: a figure without a description (mystnb.image.alt)"
        for line in cell.source.splitlines():
            if len(line) > _CODE_WIDTH:
                yield f"{name}: a line of code longer than {_CODE_WIDTH} characters"
                break
        if _widest_output(cell) > _OUTPUT_WIDTH:
            yield f"{name}: prints a line longer than {_OUTPUT_WIDTH} characters"


def _bands(notebook: NotebookNode) -> Iterator[str]:
    """A cell whose printed numbers may move must say "about" where the reader sees it."""
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        try:
            band = Band.of(cell)
        except ValueError as error:
            yield str(error)
            continue
        said = [output.text for output in cell.outputs if output.output_type == "stream"]
        if not band.text or not said:
            continue
        around = notebook.cells[max(place - 1, 0) : place + 2]
        said += [near.source for near in around if near.cell_type == "markdown"]
        if not re.search(r"\babout\b", " ".join(said), re.IGNORECASE):
            yield (
                f"cell {cell.get('id')}: its numbers may move by {band.text}, but neither its "
                'output nor the text beside it says "about"'
            )


def _widest_output(cell: NotebookNode) -> int:
    """The longest line printed; 0 for verdicts, which the page wraps, and printed source."""
    if "claim" in cell.metadata.get("tags", []) or "source_of(" in cell.source:
        return 0
    printed = (output.text for output in cell.outputs if output.output_type == "stream")
    return max((len(line) for text in printed for line in text.splitlines()), default=0)


def _text(notebook: NotebookNode) -> Iterator[str]:
    headings = [
        line
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for line in re.sub(r"```.*?```", "", cell.source, flags=re.DOTALL).splitlines()
        if line.startswith("# ")
    ]
    first = notebook.cells[0] if notebook.cells else None
    if first is None or first.cell_type != "markdown" or not first.source.startswith("# "):
        yield "the first cell must be text that starts with the chapter's title"
    if len(headings) != 1:
        yield f"there must be one title (a line that starts with '# '), found {len(headings)}"
    for cell in notebook.cells:
        if cell.cell_type == "raw":
            yield f"cell {cell.get('id')}: raw text is not shown in Jupyter and on the site alike"
        if cell.get("attachments"):
            yield f"cell {cell.get('id')}: the site cannot show attached images"


def main(paths: list[str]) -> int:
    """Print what is wrong with each notebook; return 1 if anything is, else 0.

    For the pre-commit hook: ``python -m coursebook.hygiene NOTEBOOK...``.
    """
    import nbformat

    found = [f"{path}: {line}" for path in paths for line in problems(nbformat.read(path, 4))]
    print("\n".join(found), end="\n" * bool(found))
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
