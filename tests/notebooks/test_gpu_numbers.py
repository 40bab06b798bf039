"""What a reader of the lessons sees of a GPU: its numbers, the card and the date, and a command."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from coursebook import course, records
from coursebook.sphinx.peers import RATIO, missed, own

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


PAGE = " ".join((ROOT / "book" / "speed.md").read_text("utf-8").split())
#: The day from which ours is timed with the package's own loss: before it with PyTorch's.
OWN_LOSS = "2026-11-30"


def rows(name):
    """The rows of a record of speeds."""
    return json.loads(course.record_paths(ROOT)[name].read_text("utf-8"))["results"]["rows"]


def test_the_page_of_speeds_says_which_goals_of_writing_are_met():
    one, many = rows("generation-speed")
    assert "plain loop" not in missed(one) + missed(many)
    eager = [row[RATIO]["plain loop"] for row in (one, many)]
    assert "goal beside the plain loop is met with one text and with 32" in PAGE
    assert "ours reaches {:.2f} and {:.2f} of its speed".format(*eager) in PAGE


def test_the_page_of_speeds_says_what_is_left_of_a_step_on_a_cpu():
    plain, compiled = rows("package-speed")[4:6]
    assert "nanoGPT" in missed(plain) and "1.05× beside nanoGPT is not met" in PAGE
    share = plain["share of the time"]["tfcourse"]
    products = share["aten::mm"]
    attention = sum(part for name, part in share.items() if "attention" in name)
    assert f"{products:.0%} of our step".replace("%", " %") in PAGE
    assert f"{attention:.0%} PyTorch's attention".replace("%", " %") in PAGE
    rest = 1 - products - attention
    assert f"loss and optimiser, is {rest:.0%}".replace("%", " %") in PAGE
    # To be 1.05 times as fast, ours may take this much less.
    left = 1 - plain[RATIO]["nanoGPT"] / 1.05
    assert "of which half would have to go" in PAGE and 0.4 < left / rest < 0.6
    saved = [1 - compiled["ways"][name]["ms"] / plain["ways"][name]["ms"]
             for name in ("tfcourse", "nanoGPT")]  # fmt: skip
    told = "It saves {:.0%} of our step, and {:.0%} of nanoGPT's".format(*saved)
    assert told.replace("%", " %") in PAGE


def test_the_page_of_speeds_says_what_a_gpu_reaches():
    trained = max(row["ways"]["tfcourse"].get("MFU", 0) for row in rows("package-speed-gpu"))
    ours = [way for name, way in rows("generation-speed-gpu")[0]["ways"].items() if own(name)]
    written = max(way["share of the bandwidth"] for way in ours)
    told = f"reaches {trained:.0%} of the peak, and writing {written:.0%} of the bandwidth"
    assert told.replace("%", " %") in PAGE
    assert 'make gpu GPU="--minutes 9"' in PAGE


def test_the_page_of_speeds_says_which_loss_a_record_has():
    dates = {name: records.load(name)["date"] for name in ("package-speed", "package-speed-gpu")}
    assert dates["package-speed-gpu"] < OWN_LOSS <= dates["package-speed"]
    assert "in the CPU's record ours has the package's own" in PAGE
    assert "in the GPU's record all models have PyTorch's cross-entropy" in PAGE
