"""What a notebook printed at full size stands below what it prints on a laptop."""

import json

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output
from test_records import ABOUT, words
from tiny_site import build

from coursebook.full_size import beside, record_name

EXTENSION = ("coursebook.sphinx.full_size",)


def notebook(*said: str):
    outputs = [[new_output("stream", text=text)] for text in said]
    cells = [new_code_cell(f"say({n})", id=f"c{n}", outputs=o) for n, o in enumerate(outputs)]
    about = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    return new_notebook(metadata=about, cells=[nbformat.v4.new_markdown_cell("# Page"), *cells])


def test_both_sizes_are_shown_and_only_where_they_differ(tmp_path):
    laptop, full = notebook("loss 2.5", "the same"), notebook("loss 1.25", "the same")
    nbformat.write(laptop, tmp_path / "index.ipynb")
    html, warnings = build(tmp_path, "", EXTENSION)
    assert warnings == "" and "full-size" not in html

    place = tmp_path / "benchmarks" / "records"
    place.mkdir(parents=True)
    record = {**ABOUT, "results": {"cells": beside(laptop, full)}}
    (place / f"{record_name(tmp_path / 'index.ipynb')}.json").write_text(json.dumps(record))
    html, warnings = build(tmp_path, "", EXTENSION)
    assert warnings == "" and html.count("full-size") == 1
    text = words(html)
    assert "At full size (A processor, 2026-11-22):" in text
    assert text.index("loss 2.5") < text.index("loss 1.25") < text.index("the same")

    laptop.cells[1].source = "say(3)"
    nbformat.write(laptop, tmp_path / "index.ipynb")
    html, _ = build(tmp_path, "", EXTENSION)
    assert "loss 2.5" in html and "full-size" not in html, "the cell is not the one that was run"
