"""What is taken from a submission, piece by piece and without running anything."""

import json
import os
import threading
from datetime import UTC, datetime

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from small_set import NAME, answered, cell, hand_in, release_of, source_notebook

from nbjudge.files import MAX_BYTES, Unreadable
from nbjudge.intake import cells
from nbjudge.intake.cells import OWN
from nbjudge.intake.find import MAX_CELLS, MAX_SOURCE, parse, take_in
from nbjudge.intake.merge import MAX_EXTRA_CELLS, blank, merge
from nbjudge.intake.roster import class_of, unreadable


def merged(course, notebook):
    release = release_of(course)
    handed = parse(json.dumps(notebook).encode()).cells
    notebook, notes = merge(handed, blank(source_notebook(), release), release)
    return notebook, notes.flags


def names(notebook):
    return [cell.metadata.get("nbgrader", {}).get("grade_id") or cell.id for cell in notebook.cells]


def test_only_answers_are_taken_and_everything_else_is_the_instructors(small_course):
    notebook = answered(small_course)
    for one in notebook.cells:
        one.metadata.get("nbgrader", {}).pop("points", None)
    result, flags = merged(small_course, notebook)
    assert flags == []
    source = source_notebook()
    assert names(result) == names(source)
    for mine, theirs in zip(result.cells, source.cells, strict=True):
        assert mine.metadata.get("nbgrader", {}).pop("checksum", "") or not cells.grade_id(theirs)
        assert mine.metadata == theirs.metadata
        if mine.id not in ("double", "sum-squares", "explain--written"):
            assert mine.source == theirs.source
    assert cell(result, "double").source == "def double(x):\n    return x + x"
    assert "instructor" not in cell(result, "double").source


def _windows(notebook):
    for one in notebook.cells:
        one.source = one.source.replace("\n", "\r\n")
    return json.dumps(notebook).encode("utf-8-sig")


def _without_metadata(notebook):
    for one in notebook.cells:
        one.metadata = {}
    return json.dumps(notebook).encode()


def _tagged(notebook):
    for one in notebook.cells:
        one.metadata["tags"] = ["skip-execution"]
    return json.dumps(notebook).encode()


def _with_a_test_twice(notebook):
    notebook.cells.append(nbformat.from_dict(dict(cell(notebook, "double--values"))))
    return json.dumps(notebook).encode()


def _twice_the_key(notebook):
    return json.dumps(notebook).replace('"cells":', '"cells": 3, "cells":', 1).encode()


def _with_outputs(notebook):
    for one in notebook.cells:
        one["outputs"] = [float("nan")] * 9
        one.metadata["deep"] = json.loads("[" * 900 + "]" * 900)
    return json.dumps(notebook).encode()


def _in_latin(notebook):
    notebook.metadata["author"] = "Zoë"
    return json.dumps(notebook, ensure_ascii=False).encode("latin-1")


@pytest.mark.parametrize(
    ("change", "flags"),
    [
        (_windows, []),
        (_without_metadata, []),
        (_tagged, []),
        (lambda notebook: json.dumps(nbformat.convert(notebook, 3)).encode(), []),
        (lambda notebook: json.dumps(notebook).encode("utf-16"), []),
        (lambda notebook: json.dumps(notebook).encode("utf-32-be"), []),
        (_twice_the_key, []),
        (_with_outputs, []),
        (_in_latin, ["the file is not in UTF-8; it was read as Latin-1"]),
        (
            _with_a_test_twice,
            ["test cell double--values occurs 2 times; ours was run, once"],
        ),
    ],
)
def test_what_makes_no_difference_makes_none(small_course, change, flags):
    release = release_of(small_course)
    plain, _ = merged(small_course, answered(small_course))
    handed = parse(change(answered(small_course)))
    result, notes = merge(handed.cells, blank(source_notebook(), release), release)
    assert result == plain
    assert handed.flags + notes.flags == flags


def test_own_cells_stay_where_they_were(small_course):
    notebook = answered(small_course)
    notebook.cells.insert(0, new_code_cell("first = 1"))
    place = [c.id for c in notebook.cells].index("double--values")
    notebook.cells.insert(place + 1, new_code_cell("after_the_test = 1"))
    notebook.cells.append(new_code_cell("last = 1"))
    result, flags = merged(small_course, notebook)
    sources = [c.source for c in result.cells]
    assert flags == []
    assert sources[0] == "first = 1"
    assert sources[sources.index("after_the_test = 1") - 1] == cell(result, "double--values").source
    assert sources[-1] == "last = 1"


def test_cells_in_another_order_come_back_in_ours(small_course):
    notebook = answered(small_course)
    notebook.cells.reverse()
    result, flags = merged(small_course, notebook)
    assert (names(result), flags) == (names(source_notebook()), [])


def test_what_is_not_graded_is_the_instructors_and_a_changed_copy_is_theirs(small_course):
    notebook = answered(small_course)
    changed = {"title": "# Mine <script>alert(1)</script>", "open-cell": "x = 5"}
    for name, text in changed.items():
        notebook.cells[names(notebook).index(name)].source = text
    result, flags = merged(small_course, notebook)
    assert flags == []
    assert [name for name in names(result) if not name.startswith(OWN)] == names(source_notebook())
    for mine in source_notebook().cells:
        if mine.id in changed:
            place = names(result).index(mine.id)
            assert result.cells[place].source == mine.source
            theirs = result.cells[place + 1]
            assert theirs.id.startswith(OWN)
            assert theirs.source == changed[mine.id].replace("<s", "< s").replace("</", "< /")


def test_the_last_of_two_answers_counts_and_the_first_still_runs(small_course):
    notebook = answered(small_course)
    copy = nbformat.from_dict(dict(cell(notebook, "double")))
    copy.source, copy.id = "def double(x):\n    return 0", "copy"
    notebook.cells.insert(names(notebook).index("double"), copy)
    result, flags = merged(small_course, notebook)
    assert flags == ["answer double occurs 2 times; the last one counts"]
    assert cell(result, "double").source.endswith("x + x")
    sources = [c.source for c in result.cells]
    assert sources.index(copy.source) < sources.index(cell(result, "double").source)


def test_an_answer_turned_into_text_is_read_all_the_same(small_course):
    notebook = answered(small_course)
    cell(notebook, "double").cell_type = "markdown"
    result, flags = merged(small_course, notebook)
    assert flags == ["answer double had been turned into a markdown cell"]
    assert cell(result, "double").cell_type == "code"
    assert cell(result, "double").source.endswith("x + x")


@pytest.mark.parametrize("text", ["", " \n", "\nYOUR ANSWER HERE\n"])
def test_blank_lines_do_not_make_an_answer(small_course, text):
    result, _ = merged(small_course, answered(small_course, explain=text))
    assert cell(result, "explain--written").source == "YOUR ANSWER HERE"


def test_too_many_cells_are_left_out_and_counted(small_course):
    notebook = answered(small_course)
    notebook.cells += [new_code_cell(f"x = {n}") for n in range(MAX_EXTRA_CELLS + 3)]
    result, flags = merged(small_course, notebook)
    assert flags == [f"3 of the {MAX_EXTRA_CELLS + 3} cells that they added were left out"]
    assert len(result.cells) == len(source_notebook().cells) + MAX_EXTRA_CELLS


def test_odd_cells_are_passed_over():
    odd = [1, None, {"cell_type": "sql", "source": "x"}, {"cell_type": "code", "source": 3}]
    odd += [{"cell_type": "code", "source": ["a\r\n", "b\ud800\0"], "metadata": "?", "id": 7}]
    parsed = parse(json.dumps({"cells": odd, "metadata": {"kernelspec": {"name": 3}}}).encode())
    (cell,) = parsed.cells
    assert (cell.source, cell.metadata, cell.id, parsed.kernel) == ("a\nb?�", {}, "", "")


def test_more_cells_or_longer_ones_than_anybody_writes_are_not_taken():
    odd = [{"cell_type": "code", "source": "x" * (MAX_SOURCE + 1)}]
    odd += [{"cell_type": "code", "source": "1"}] * 10**5
    parsed = parse(json.dumps({"cells": odd}).encode())
    assert len(parsed.cells) == MAX_CELLS
    assert parsed.cells[0].source == ""
    assert parsed.flags == [
        f"only the first {MAX_CELLS} of {len(odd)} cells were read",
        f"cell 1 is longer than {MAX_SOURCE} characters: counts as empty",
    ]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"\n", "is empty"),
        (b'{"cells": [', "cut off"),
        (b'{"cells": "', "cut off"),
        (b'{"cells": ]}\n\n{"more": 1}', "broken at line 1, column 11"),
        (b"[]", "without cells"),
        (b'{"cells": {}}', "without cells"),
        (b'{"worksheets": 3}', "old format"),
        (b"\xff\xfe\xfd", "UTF-8"),
        (b"[" * 100_000, "cannot be read"),
        (b'{"cells": [' + b"9" * 5000 + b"]}", "cannot be read"),
        (b'{"cells": ' + b"[" * 100_000, "cannot be read"),
        (b"NaN", "without cells"),
        ("{\u20ac".encode("utf-16")[:-1], "it is not UTF-8 text"),
    ],
)
def test_what_is_no_notebook_says_why(content, why):
    with pytest.raises(Unreadable, match=why):
        parse(content)


def test_a_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "ada" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    submissions = []
    thread = threading.Thread(target=lambda: submissions.append(take_in(tmp_path / "ada", NAME)))
    thread.daemon = True
    thread.start()
    thread.join(5)
    assert submissions and submissions[0].problem == f"{NAME}.ipynb is not a regular file"


def test_linked_folders_are_not_followed(small_course, tmp_path):
    hand_in(tmp_path / "in", "ada", answered(small_course))
    (tmp_path / "bob").symlink_to(tmp_path / "in" / "ada")
    assert "links are not followed" in take_in(tmp_path / "bob", NAME).problem


def test_names_of_files_are_text_whatever_they_are_made_of(small_course, tmp_path):
    """What is not would break the table, or speak to the instructor's terminal."""
    path = hand_in(tmp_path, "ada", answered(small_course))
    for name in (b"\xff.py", b"\x1b[31mred.txt", b"a\nb"):
        (path.parent / os.fsdecode(name)).touch()
    submission = take_in(tmp_path / "ada", NAME)
    assert sorted(submission.left_out) == ["a�b", "�.py", "�[31mred.txt"]
    submission.flags[0].encode("utf-8")
    for name in (b"\xff", b"eve"):
        (tmp_path / "in" / os.fsdecode(name)).mkdir(parents=True)
    assert class_of(tmp_path / "in") == (["eve"], {})
    (line,) = unreadable(tmp_path / "in")
    assert r"\udcff, whose name cannot be written" in line


def test_a_name_that_the_gradebook_cannot_hold_stops_nobody_else(tmp_path):
    """PostgreSQL refuses what is longer than its column; SQLite would take it."""
    for name in ("a" * 128, "b" * 129):
        (tmp_path / name).mkdir()
    assert class_of(tmp_path) == (["a" * 128], {})
    (line,) = unreadable(tmp_path)
    assert "b" * 129 + ", whose name has more than 128 characters: it was left out" in line
    (tmp_path / "roster.csv").write_text(f"student\n{'c' * 129}\n")
    with pytest.raises(ValueError, match="a name may have at most 128 characters"):
        class_of(tmp_path)


def test_a_folder_that_cannot_be_read_is_one_learners_problem(tmp_path, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.is_dir", denied)
    assert take_in(tmp_path, NAME).problem == "the folder cannot be read (Permission denied)"


def test_a_huge_file_is_not_read(tmp_path):
    path = hand_in(tmp_path, "ada", "")
    with path.open("wb") as file:
        file.truncate(10**9)
    assert take_in(tmp_path / "ada", NAME).problem == (
        f"{NAME}.ipynb is larger than {MAX_BYTES >> 20} MiB"
    )


def test_a_notebook_without_its_folder_is_taken_and_other_files_are_named(small_course, tmp_path):
    text = json.dumps(answered(small_course))
    (tmp_path / f"{NAME}.ipynb").write_text(text)
    submission = take_in(tmp_path, NAME)
    assert submission.content and submission.flags == [f"{NAME}.ipynb was not in a folder {NAME}"]
    path = hand_in(tmp_path, "ada", text)
    (path.parent / "torch.py").touch()
    submission = take_in(tmp_path / "ada", NAME)
    assert submission.flags == ["left out, only the notebook is graded: torch.py"]
    assert submission.left_out == ["torch.py"]


def test_when_it_came_in_is_what_the_instructor_says_not_the_learner(small_course, tmp_path):
    path = hand_in(tmp_path, "ada", answered(small_course))
    (path.parent / "timestamp.txt").write_text("2001-01-01 00:00:00 UTC")
    (path.parent / "submission_secret.txt").write_text("0" * 128)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    submission = take_in(tmp_path / "ada", NAME)
    assert (submission.received, submission.flags) == (None, []), "both times are the learner's"
    listed = datetime(2023, 11, 1, tzinfo=UTC)
    assert take_in(tmp_path / "ada", NAME, listed).received == listed
