"""The page that JupyterLab opens on: what it says comes next, and the points so far."""

import json

import pytest
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from nbjudge.desk.progress import SetProgress, start_page

LESSON = "[1 · Words](01-words/01-words.ipynb)"
FIRST = "[Set 1: Words \\| pairs](assignments/ps01-words/ps01-words.ipynb)"
SECOND = "[ps02-more](assignments/ps02-more/ps02-more.ipynb)"


def graded(name):
    return new_code_cell(metadata={"nbgrader": {"grade_id": name, "grade": True, "points": 2}})


@pytest.fixture
def work(tmp_path):
    """A lesson, its set of two exercises, and a set without a lesson or a title."""
    notebooks = {
        "01-words/01-words": [new_markdown_cell("# 1 · Words\n\nA lesson.")],
        "01-words/evidence": [new_markdown_cell("# Evidence")],
        "assignments/ps01-words/ps01-words": [
            new_markdown_cell("# Set 1: Words | pairs"),
            *(graded(name) for name in ("pairs--values", "pairs--hidden", "near--values")),
        ],
        "assignments/ps02-more/ps02-more": [graded("more--values")],
    }
    for name, cells in notebooks.items():
        path = tmp_path / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(new_notebook(cells=cells), path)
    return tmp_path


def page(work, first, second=None):
    return start_page(work, [first, second or SetProgress("ps02-more", state="not started")])


def done(name, exercises):
    return SetProgress(name, 4.0, 4.0, exercises, exercises)


def test_first_comes_the_lesson_and_then_its_set(work):
    markdown = page(work, SetProgress("ps01-words", state="not started"))
    assert f"**Next:** read {LESSON}. Then do {FIRST}." in markdown
    assert f"\n| {LESSON} | {FIRST} | – | not started |\n" in markdown
    assert f"\n|  | {SECOND} | – | not started |\n" in markdown
    assert "check assignments/ps01-words\n" in markdown


def test_a_set_that_is_begun_is_gone_on_with(work):
    markdown = page(work, SetProgress("ps01-words", 1.5, 2.0, 0, 1))
    assert f"**Next:** continue with {FIRST}." in markdown
    assert f"| {FIRST} | 1.5 of 2 | 0 of 2 |" in markdown


def test_an_exercise_that_was_never_checked_is_not_done(work):
    """`check --exercise` knows of one exercise only."""
    assert f"continue with {FIRST}" in page(work, done("ps01-words", 1))
    assert f"**Next:** do {SECOND}." in page(work, done("ps01-words", 2))


def test_what_was_changed_since_is_to_be_checked_again(work):
    one = done("ps01-words", 2)
    one.state = "changed since it was checked"
    markdown = page(work, one)
    assert f"continue with {FIRST}. You have changed it since it was checked." in markdown
    assert "2 of 2 (changed since it was checked)" in markdown


def test_at_the_end_there_is_no_next_step(work):
    markdown = page(work, done("ps01-words", 2), done("ps02-more", 1))
    assert "You have finished all problem sets." in markdown and "**Next:**" not in markdown


@pytest.mark.parametrize("broken", ["", "[]", "{}", json.dumps({"cells": []})])
def test_a_notebook_that_cannot_be_read_is_still_listed(work, broken):
    (work / "assignments/ps01-words/ps01-words.ipynb").write_text(broken)
    markdown = page(work, SetProgress("ps01-words", state="not checked yet"))
    assert "[ps01-words](assignments/ps01-words/ps01-words.ipynb)" in markdown


def test_a_second_notebook_of_a_set_is_linked_where_it_lies(work):
    copy = work / "assignments/ps01-words/old.ipynb"
    write(new_notebook(), copy)
    markdown = page(work, SetProgress("old", state="not checked yet"))
    assert "**Next:** continue with [old](assignments/ps01-words/old.ipynb)." in markdown
    assert "check assignments/ps01-words\n" in markdown


def test_a_folder_without_problem_sets_has_a_page_too(tmp_path):
    assert "# Start here" in start_page(tmp_path, [])
