"""Answers whose cells have lost their names or stand elsewhere, and broken files by their kind."""

import json

import nbformat
import pytest
from damaged import DAMAGED, content
from nbformat.v4 import new_code_cell, new_markdown_cell
from small_set import NAME, RIGHT, answered, cell, hand_in, release_of, source_notebook

from nbjudge.files import Unreadable
from nbjudge.intake import cells
from nbjudge.intake.find import parse, take_in
from nbjudge.intake.merge import blank, merge
from nbjudge.judge.names import names_of


def merged(course, notebook):
    release, source = release_of(course), source_notebook()
    handed = parse(content(notebook)).cells
    return merge(handed, blank(source, release), release, names=names_of(source))


def own(notebook):
    return [c.source for c in notebook.cells if c.id.startswith(cells.OWN)]


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_right_answer_is_found_and_the_instructor_is_told_where(small_course, kind):
    merged_notebook, notes = merged(small_course, DAMAGED[kind](small_course))
    for name, answer in RIGHT.items():
        assert answer in cell(merged_notebook, name).source, name
    assert notes.flags, "nothing odd goes unsaid"
    assert not notes.held
    for message in notes.told:
        assert "our" not in message.replace("your", "").replace("Your", ""), "a learner's words"


def test_where_it_was_found_is_said(small_course):
    _, notes = merged(small_course, DAMAGED["at-the-end"](small_course))
    count = len(release_of(small_course).cells) + 1  # it comes after those that were given out
    assert notes.flags == [
        f"answer double: double was found in cell {count} of the notebook; its own cell has only "
        "the stub"
    ]
    (message,) = notes.told
    assert f"`double` (`double`) was found in cell {count} of your notebook" in message


def test_a_cell_that_others_may_need_still_runs_where_it_was(small_course):
    merged_notebook, _ = merged(small_course, DAMAGED["at-the-top"](small_course))
    assert own(merged_notebook) == [RIGHT["double"]]
    for kind in ("retyped", "above-the-stub", "at-the-end", "untouched-copy-last"):
        merged_notebook, _ = merged(small_course, DAMAGED[kind](small_course))
        assert own(merged_notebook) == [], f"{kind}: it does not run twice"


def retyped(small_course, source):
    """A notebook in which a new cell with this code stands where an answer was, and its place."""
    notebook = answered(small_course)
    place = notebook.cells.index(cell(notebook, "double"))
    notebook.cells[place] = new_code_cell(source)
    return notebook, place


def test_one_that_defines_another_name_is_found_by_its_neighbours(small_course):
    """The learner is told what is wrong with it, and not that nothing was written."""
    notebook, place = retyped(small_course, "def twice(x):\n    return x + x")
    merged_notebook, notes = merged(small_course, notebook)
    assert cell(merged_notebook, "double").source == "def twice(x):\n    return x + x"
    assert notes.flags == [
        f"answer double: was found in cell {place + 1} of the notebook; its own cell is missing"
    ]
    # Of two at its place neither is taken.
    notebook.cells.insert(place, new_code_cell("def thrice(x):\n    return 3 * x"))
    merged_notebook, notes = merged(small_course, notebook)
    assert "twice" not in cell(merged_notebook, "double").source
    assert notes.held == ["answer double was deleted; no answer counts"]


def test_what_cannot_be_decided_holds_the_mark(small_course):
    notebook = answered(small_course)
    notebook.cells.remove(cell(notebook, "double"))
    _, notes = merged(small_course, notebook)
    assert notes.held == notes.flags == ["answer double was deleted; no answer counts"]
    assert "cannot be found" in notes.told[0]
    # Two answers, neither at its place.
    notebook.cells.insert(0, new_code_cell("def double(x):\n    return 0"))
    notebook.cells.append(new_code_cell(RIGHT["double"]))
    merged_notebook, notes = merged(small_course, notebook)
    assert cell(merged_notebook, "double").source == RIGHT["double"], "the last one"
    assert notes.held == [
        "answer double: double is defined in more than one cell; the last one counts"
    ]


def test_a_notebook_of_something_else_holds_the_mark(small_course):
    other = nbformat.v4.new_notebook(cells=[new_code_cell("x = 1"), new_markdown_cell("# Mine")])
    _, notes = merged(small_course, other)
    assert (
        notes.held
        == notes.flags
        == ["holds none of the problem set's cells: is it another notebook?"]
    )


def test_a_broken_answer_is_found_too(small_course):
    """It is not valid Python, and is told so rather than that it is not there."""
    notebook, _ = retyped(small_course, "def double(x)\n    return 2 * x")
    merged_notebook, notes = merged(small_course, notebook)
    assert cell(merged_notebook, "double").source == "def double(x)\n    return 2 * x"
    assert not notes.held


def test_work_not_started_is_no_answer_found(small_course):
    merged_notebook, notes = merged(small_course, release_of(small_course))
    assert (notes.flags, notes.held, own(merged_notebook)) == ([], [], [])


def test_too_long_to_read_holds_the_mark():
    notes = parse(json.dumps({"cells": [{"cell_type": "code", "source": "x" * 60_000}]}).encode())
    assert notes.held == notes.flags
    assert "was not read" in notes.told[0]


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"<!DOCTYPE html>\n<html>", "a web page"),
        (b"\xef\xbb\xbf<html lang='en'>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "a Git LFS pointer"),
        (b"PK\x03\x04....", "a zip archive"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"{\\rtf1\\ansi {", "a document of a word processor"),
        (b"\x89PNG\r\n", "a picture"),
        (b'{"cells": [\n<<<<<<< HEAD\n', "git left conflict markers in it, first in line 2"),
        (b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n", "conflict markers in it, first in line 1"),
    ],
)
def test_a_broken_file_is_named_for_what_it_is(start, message):
    with pytest.raises(Unreadable, match=f"is not a notebook.*{message}"):
        parse(start + b"\n" * 20)


# -- which file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "flags"),
    [
        ({f"{NAME}/{NAME}.ipynb.txt": 1}, ["called"]),
        ({f"{NAME}/{NAME}.ipynb.json": 1}, ["called"]),
        ({f"{NAME}/{NAME}.json": 1}, ["called"]),
        ({f"{NAME}/my work.ipynb": 1, f"{NAME}/._my work.ipynb": 0}, ["called"]),
        ({f"{NAME}/{NAME}/{NAME}.ipynb": 1}, ["in the folder"]),
        ({f"Set 99/{NAME}.ipynb": 1}, ["in the folder"]),
        ({f"{NAME.upper()}/x.ipynb": 1}, ["called", "in the folder"]),
        ({f"{NAME}/{NAME} (1).ipynb": 1, f"{NAME}/notes.ipynb": 0}, ["called", "left out"]),
        ({f"{NAME}/one.ipynb": 1, f"{NAME}/two.ipynb": 1}, ["called", "left out"]),
        ({"ps98-other/x.ipynb": 0, f"{NAME}.ipynb": 1}, ["not in a folder"]),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else "",
)
def test_the_notebook_is_found_whatever_its_name(small_course, tmp_path, files, flags):
    for name, right in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content(answered(small_course)) if right else b"other")
    submission = take_in(tmp_path, NAME, sets=[NAME, "ps98-other"])
    assert submission.content == content(answered(small_course))
    assert not submission.held
    assert len(submission.flags) == len(flags)
    assert all(part in flag for part, flag in zip(flags, submission.flags, strict=True))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([f"{NAME}/{NAME}.zip"], f"no {NAME}.ipynb, but {NAME}/{NAME}.zip: a zip, which has"),
        ([f"{NAME}/{NAME}.py"], f"no {NAME}.ipynb, but {NAME}/{NAME}.py: an export as a program"),
        ([f"{NAME}/a.pdf", f"{NAME}/b.txt"], f"no {NAME}.ipynb, but {NAME}/a.pdf, {NAME}/b.txt"),
        (["My set/mine.ipynb"], f"no {NAME}.ipynb, but My set/mine.ipynb"),
        ([f"{NAME}/a.ipynb", f"{NAME}/b.ipynb"], "a.ipynb, b.ipynb: which one counts?"),
    ],
)
def test_it_is_never_said_that_nothing_came_beside_a_file_that_did(tmp_path, files, message):
    for number, name in enumerate(files):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(number))
    submission = take_in(tmp_path, NAME, sets=[NAME, "ps98-other"])
    assert submission.problem.startswith(message) or message in submission.problem
    assert submission.held == [submission.problem]
    assert "could not be graded" in submission.told[0]


def test_nothing_handed_in_is_not_held(tmp_path):
    (tmp_path / "ps98-other").mkdir()
    (tmp_path / "ps98-other" / "ps98-other.ipynb").write_text("{}")
    submission = take_in(tmp_path, NAME, sets=[NAME, "ps98-other"])
    assert (submission.problem, submission.held) == ("nothing handed in", [])


def test_two_versions_of_the_notebook_hold_the_mark(small_course, tmp_path):
    hand_in(tmp_path, "ada", answered(small_course))
    hand_in(tmp_path, "ada", release_of(small_course), name=f"{NAME} (1).ipynb")
    submission = take_in(tmp_path / "ada", NAME, sets=[NAME])
    assert submission.content == content(answered(small_course))
    assert submission.held == [
        f"{NAME}.ipynb was graded, but there is also {NAME} (1).ipynb: which one counts?"
    ]
