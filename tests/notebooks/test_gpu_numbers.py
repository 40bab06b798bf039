"""What a reader of the lessons sees of a GPU: its numbers, the card and the date, and a command."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from coursebook import course, records
from coursebook.sphinx.peers import missed

ROOT = course.root(Path(__file__).parent)
PATHS = [*course.chapter_paths(ROOT), *course.evidence_paths(ROOT)]
LOADED = re.compile(r"""records\.load\(\s*["']([\w-]+-gpu)["']""")


def printed(cell):
    """What a code cell has printed."""
    return "".join(out.get("text", "") for out in cell.get("outputs", ()))


CELLS = [
    pytest.param(path, cell, id=f"{course.short_name(path)}-{cell.id}")
    for path in PATHS
    for cell in nbformat.read(path, as_version=4).cells
    if cell.cell_type == "code" and LOADED.search(cell.source)
]


def test_lessons_show_records_of_a_gpu():
    lessons = {param.values[0].parent.name for param in CELLS}
    assert lessons >= {
        "09-decoder", "11-encoder-decoder", "13-fast-attention", "14-training-at-scale"
    }  # fmt: skip


@pytest.mark.parametrize(("path", "cell"), CELLS)
def test_a_gpus_numbers_come_with_the_card_and_the_date(path, cell):
    for name in LOADED.findall(cell.source):
        record = records.load(name)
        assert record["device"] in printed(cell) and record["date"] in printed(cell)


@pytest.mark.parametrize("name", ["13-fast-attention", "14-training-at-scale"])
def test_the_lessons_on_scale_take_a_gpu_and_name_the_command(name):
    notebook = nbformat.read(course.Lesson(ROOT, name).notebook, as_version=4)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "device = default_device()  # a GPU if there is one\n" in code
    assert 'if device.type == "cuda":' in code or 'and device.type == "cuda":' in code
    assert re.search(r'`make gpu GPU="--only [\w-]+-gpu"`', text)


def test_each_command_in_a_notebook_names_a_part_that_there_is(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import on_gpu

    told = {
        name
        for path in PATHS
        for name in re.findall(r'make gpu GPU=\\"--only ([\w-]+)\\"', path.read_text("utf-8"))
    }
    assert len(told) >= 4 and told <= set(on_gpu.parts())


@pytest.mark.parametrize("path", PATHS, ids=course.short_name)
def test_what_has_no_record_is_absent(path):
    for cell in nbformat.read(path, as_version=4).cells:
        assert not re.search(r"\bnot (?:run|measured)\b", printed(cell)), cell.id


def test_the_page_of_speeds_says_which_goals_of_writing_are_met():
    """Beside the plain loop on a CPU: both, compiled; and so much of its speed, not compiled."""
    page = (ROOT / "book" / "speed.md").read_text("utf-8")
    path = course.record_paths(ROOT)["generation-speed"]
    rows = json.loads(path.read_text("utf-8"))["results"]["rows"]
    assert "the goal beside the plain loop is met with one text and with 32" in page
    assert all("plain loop" not in missed(row) for row in rows)
    one, many = (
        row["peer / ours in time, median of neighbouring runs"]["plain loop"] for row in rows
    )
    assert f"Not compiled, ours reaches {one:.2f} and {many:.2f} of its speed" in page
    assert min(one, many) >= 0.8
