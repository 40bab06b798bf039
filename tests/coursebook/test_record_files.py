"""A record's file: the same JSON, laid out to be read."""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from coursebook import course, records
from coursebook.executor import execute

RESULTS = {
    "losses": [round(5 * 0.9**i, 6) for i in range(40)],
    "seeds": {10: [1, 2], 11: {"loss": 1.5, "BLEU": [33.1, 31.0, 35.2]}},
    "texts": ["a sentence, with a comma " * 3, "another one, which is as long " * 3],
    "empty": [],
    "lost": None,
    "mixed": [None, {"rate": 1e-05}, "é", "x" * 200],
}


@pytest.fixture
def text(tmp_path, monkeypatch):
    monkeypatch.setattr(course, "root", lambda: tmp_path)
    return records.write("some", RESULTS, seed=0).read_text()


def test_it_holds_what_was_measured(text):
    assert json.loads(text)["results"] == json.loads(json.dumps(RESULTS))


def test_what_fits_on_a_line_stands_on_one(text):
    lines = text.splitlines()
    assert '  "seeds": {"10": [1, 2], "11": {"loss": 1.5, "BLEU": [33.1, 31.0, 35.2]}},' in lines
    losses = [line for line in lines if line.count(", ") > 5]
    assert len(losses) == 4  # forty of them
    assert max(map(len, losses)) <= records.WIDTH


def test_a_notebook_shows_nothing_of_a_gpu_that_was_not_measured(tmp_path):
    """The cell that reads the record ends there; the notebook goes on. Another name is an error."""
    cells = [
        "from coursebook import records",
        'gpu = records.load("nothing-gpu")\nprint("read")',
        'records.load("nothing-gpu")["device"]',
        'gpu = records.load("package-speed-gpu")\nprint("there")',
        'try:\n    records.load("nothing")\nexcept FileNotFoundError:\n    print("an error")',
    ]
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    path = tmp_path / "some.ipynb"
    nbformat.write(notebook, path)
    ran, _ = execute(path)
    printed = ["".join(out.get("text", "?") for out in cell.outputs) for cell in ran.cells]
    assert printed == ["", "", "", "there\n", "an error\n"]
