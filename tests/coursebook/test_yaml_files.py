"""A fault in a YAML file of the course is told in one sentence, with its file and line."""

import pytest

from coursebook import course
from coursebook.sphinx.claims import read_ledger
from coursebook.sphinx.coverage import read_coverage
from coursebook.yaml_files import read_yaml

FAULTS = {
    "a: 1\nb: it holds: always\n":
        "line 2: mapping values are not allowed here; "
        "a text with a colon in it must stand in quotes",
    "a:\n\tb: 1\n": "line 2: found character '\\t' that cannot start any token; "
                    "indent with spaces, not with tabs",
    "a: 'one\nb: 2\n": "line 3: found unexpected end of stream; "
                       "a quotation mark is opened and not closed",
    "a: *bold* words\n": "line 1: expected alphabetic or numeric character, but found '*'; "
                         "a text that begins with * must stand in quotes",
    "a: [1, 2\nb: 3\n": "line 2: expected ',' or ']', but got ':'",
    "- a\n": "line 1: it must hold names with values, got ['a']",
    "": "line 1: it must hold names with values, got None",
}  # fmt: skip


@pytest.mark.parametrize("text", FAULTS, ids=range(len(FAULTS)))
def test_a_fault_is_one_sentence(text, tmp_path):
    path = tmp_path / "claims.yml"
    path.write_text(text)
    with pytest.raises(ValueError) as told:
        read_yaml(path)
    assert str(told.value) == f"{path}, {FAULTS[text]}"
    assert told.value.__context__ is None or told.value.__suppress_context__


def test_a_list_is_read_as_one(tmp_path):
    path = tmp_path / "chapters.yml"
    path.write_text("- a\n")
    assert read_yaml(path, list) == ["a"]
    path.write_text("a: 1\n")
    with pytest.raises(ValueError, match="line 1: it must hold a list, got {'a': 1}"):
        read_yaml(path, list)


def test_the_ledger_and_the_coverage_count_it_among_their_faults(tmp_path):
    book = tmp_path / "book"
    book.mkdir()
    (book / "chapters.yml").write_text("[]")
    lesson = course.Lesson(tmp_path, "01-words")
    lesson.folder.mkdir(parents=True)
    lesson.notebook.write_text('{"cells": []}')
    places = ((lesson.claims, read_ledger), (book / "coverage.yml", read_coverage))
    for path, read in places:
        path.write_text("a: b: c\n")
        (fault,) = read(tmp_path).faults
        assert fault.endswith(f"{path.name}, line 1: {FAULTS[next(iter(FAULTS))][8:]}")


def test_every_yaml_file_of_the_book_is_read():
    root = course.root()
    for path in (*root.glob("book/*.yml"), *root.glob("notebooks/*/*.yml")):
        kind = list if path.name == "chapters.yml" else dict
        assert read_yaml(path, kind)
