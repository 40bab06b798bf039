"""The page of coverage: complete, linked to the right sections, and strict about both."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from coursebook import course
from coursebook.course import Lesson
from coursebook.sphinx.coverage import Place, read_coverage

ROOT = course.root()
CONFIG = {
    "parse": {"myst_enable_extensions": ["dollarmath"]},
    "sphinx": {"config": {"myst_heading_anchors": 3}},
}


def test_every_topic_of_the_five_lectures_is_taught() -> None:
    coverage = read_coverage(ROOT)
    assert not coverage.faults
    assert set(coverage.lectures) == {"UW", "UBC", "224N", "UCB", "KA"}
    named = {t for places in coverage.lectures.values() for ts in places.values() for t in ts}
    assert named == set(coverage.topics)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A course of one lesson whose last cell teaches `one-hot`, as its one lecture does."""
    (tmp_path / "book").mkdir()
    Lesson(tmp_path, "01-words").folder.mkdir(parents=True)
    (tmp_path / "_config.yml").write_text(yaml.safe_dump(CONFIG))
    write(tmp_path, ["one-hot"])
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# Words"),
            new_markdown_cell("Some say this.\n\n## A place: for *each* word"),
            new_code_cell("1", metadata={"tfcourse": {"teaches": ["one-hot"]}}),
        ]
    )
    nbformat.write(notebook, Lesson(tmp_path, "01-words").notebook)
    return tmp_path


def write(folder: Path, taught: list[str]) -> None:
    written = {"lectures": {"UCB": {"Vectors": taught}}}
    Lesson(folder, "01-words").topics.write_text(yaml.safe_dump({"one-hot": "A row"}))
    (folder / "book" / "coverage.yml").write_text(yaml.safe_dump(written))


def test_a_topic_is_linked_to_the_section_of_its_cell(small: Path) -> None:
    coverage = read_coverage(small)
    assert not coverage.faults
    title = "A place: for *each* word"
    place = Place("01-words", "notebooks/01-words/01-words", title, "a-place-for-each-word")
    assert coverage.taught == {"one-hot": [place]}


def test_a_topic_that_no_cell_teaches_is_a_fault(small: Path) -> None:
    path = Lesson(small, "01-words").notebook
    notebook = nbformat.read(path, as_version=4)
    del notebook.cells[2].metadata["tfcourse"]
    nbformat.write(notebook, path)
    assert read_coverage(small).faults == ["topics.yml: no lesson's cell teaches one-hot"]


def test_a_topic_that_nobody_listed_is_a_fault(small: Path) -> None:
    write(small, ["two-hot"])
    assert read_coverage(small).faults == ["coverage.yml, UCB, Vectors: there is no topic two-hot"]
    path = Lesson(small, "01-words").notebook
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].metadata["tfcourse"]["teaches"] = ["one-hot", "one-cold"]
    nbformat.write(notebook, path)
    assert (
        "01-words.ipynb teaches one-cold; no topics.yml has such a topic"
        in read_coverage(small).faults
    )


def test_its_links_lead_to_headings(site: Path) -> None:
    page = (site / "book" / "coverage.html").read_text("utf-8")
    links = re.findall(r'href="\.\./notebooks/[\w-]+/([\w-]+)\.html#([^"]+)"', page)
    taught = [place for places in read_coverage(ROOT).taught.values() for place in places]
    assert {lesson for lesson, _ in links} == {place.lesson for place in taught}
    assert len(set(links)) == len({(place.lesson, place.anchor) for place in taught})
    for lesson, anchor in set(links):
        page = site / "notebooks" / lesson / f"{lesson}.html"
        assert f'id="{anchor}"' in page.read_text("utf-8")
