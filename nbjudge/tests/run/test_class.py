"""A class of everybody, graded once: who gets what, and what is said."""

import json
import re
import sqlite3

import pytest
from command_line import table_in
from small_set import NAME, SANDBOXED, book_of

from nbjudge.intake import cells

WAITS = "explain--written awaits manual marking"

#: Odd, and worth every point that a machine can give; and the flag that says what was odd.
FULL = {
    "right": "not in roster.csv",
    "function-after": "",
    "split-answer": "answer double occurs 2 times; the last one counts",
    "[odd] name, 学生 {x}": (
        f"the file is called 'my work.ipynb', not {NAME}.ipynb; "
        "the notebook's kernel is 'ir'; it was run in python3"
    ),
    "flags-flipped": "",
    "scripts": "",
}

#: Nothing in these can be graded; and the flag that says why.
UNREADABLE = {
    "absent": "nothing handed in",
    "no-file": "nothing handed in",
    "no-bytes": f"{NAME}.ipynb is empty",
    "no-notebook": f"{NAME}.ipynb is not a notebook: JSON, but without cells",
    "a-picture": f"{NAME}.ipynb is not a notebook but a picture: hand in the notebook itself",
    "deep": f"{NAME}.ipynb is not a notebook: its JSON cannot be read",
    "two-files": f"no {NAME}.ipynb, but one.ipynb, two.ipynb: which one counts?",
    "a-link": f"{NAME}.ipynb is a link, and links are not followed",
}


def scores(student):
    return {name: exercise.score for name, exercise in student.exercises.items()}


@pytest.mark.parametrize("student", FULL)
def test_honest_work_has_full_marks_however_odd(graded, student):
    result = graded.report.students[student]
    assert scores(result) == {"double": 5, "sum-squares": 5, "explain": None}
    assert "; ".join(result.flags) == "; ".join(flag for flag in (FULL[student], WAITS) if flag)
    assert (result.score, result.max_score) == (10, 13)


def test_the_release_as_it_was_given_out_has_nothing(graded):
    result = graded.report.students["empty"]
    assert scores(result) == {"double": 0, "sum-squares": 0, "explain": 0}
    for name, test in result.tests.items():
        assert "written" in name or "not written yet" in test.message or "No answer" in test.message


def test_a_wrong_answer_is_told_what_is_wrong(graded):
    tests = graded.report.students["wrong"].tests
    assert [(test.score, test.message) for test in tests.values()] == [
        (0, "double(3) should be 6, but it is 9"),
        (0, "double is wrong for a large number"),
        (0, "1 + 4 is 5"),
        (1, "right for 1 of the four lists"),
        (None, ""),
    ]


@pytest.mark.parametrize("student", UNREADABLE)
def test_what_cannot_be_read_says_why(graded, student):
    result = graded.report.students[student]
    assert (result.score, result.max_score, result.seed) == (0, 13, None)
    assert result.flags == [UNREADABLE[student]]
    assert result.held == [flag for flag in result.flags if flag != "nothing handed in"]


def test_a_cut_off_file_says_where(graded):
    (flag,) = graded.report.students["cut-off"].flags
    assert re.fullmatch(
        rf"{NAME}\.ipynb is not a notebook: its JSON is cut off at line 1, .*\d", flag
    )


def test_tampering_with_tests_gains_nothing(graded):
    result = graded.report.students["tests-tampered"]
    assert scores(result)["double"] == 0
    assert result.max_score == 13
    assert result.flags == [
        "test cell double--values was changed; ours was run",
        "test cell double--hidden was deleted; ours was run",
        WAITS,
    ]


def test_a_deleted_answer_is_no_answer_and_not_the_instructors(graded):
    result = graded.report.students["answer-deleted"]
    assert scores(result) == {"double": 0, "sum-squares": 5, "explain": None}
    assert result.flags == ["answer double was deleted; no answer counts", WAITS]
    assert result.held == result.flags[:1], "it is not final: nobody can say why it is not there"


def test_an_object_that_lies_scores_nothing(graded):
    test = graded.report.students["nan-score"].tests["sum-squares--partial"]
    assert test.score == 0
    assert "cannot be used" in test.message
    assert "Lie" not in test.message  # a hidden test shows none of the learner's own words


@pytest.mark.parametrize("student", ["prints", "stubborn"])
def test_what_never_ends_costs_its_own_exercise_only(graded, student):
    result = graded.report.students[student]
    assert scores(result) == {"double": 0, "sum-squares": 5, "explain": None}
    assert any(flag.startswith("ran out of time in double--values") for flag in result.flags)
    assert re.search("out of time|loop that never ends", result.tests["double--values"].message)


def test_a_dead_kernel_costs_its_own_exercise_only(graded):
    result = graded.report.students["dies"]
    assert scores(result) == {"double": 5, "sum-squares": 0, "explain": None}
    assert any(flag.startswith("the kernel died in sum-squares--values") for flag in result.flags)
    assert "kernel died" in result.tests["sum-squares--partial"].message


def test_progress_names_everybody_once(graded):
    total = len(graded.report.students)
    assert [state[:2] for state in graded.progress] == [(done, total) for done in range(total + 1)]
    assert sorted(state[2] for state in graded.progress) == sorted(["", *graded.report.students])


def test_grades_csv_has_the_columns_and_everybody(graded):
    rows = table_in(graded.into / "grades.csv")
    first = ["student", "problem set", "score", "max score"]
    last = ["raw score", "penalty", "received", "late by", "provisional", "flags"]
    assert list(rows[0]) == [*first, "double", "sum-squares", "explain", *last]
    assert [row["student"] for row in rows] == sorted(graded.report.students)
    row = next(row for row in rows if row["student"] == "wrong")
    assert list(row.values())[:7] == ["wrong", NAME, "1", "13", "0", "1", ""]
    assert list(row.values())[7:] == ["1", "0", "time not known", "", "yes", WAITS]
    absent = next(row for row in rows if row["student"] == "absent")
    assert (absent["received"], absent["provisional"]) == ("", "no")


def test_report_json_says_how_to_replay(graded):
    report = json.loads((graded.into / "report.json").read_text())[NAME]
    assert report["students"]["right"]["seed"] == graded.report.students["right"].seed is not None
    assert {"python", "nbgrader", "tfcourse", "torch"} <= set(report["versions"])
    test = report["students"]["wrong"]["tests"]["sum-squares--partial"]
    assert (test["score"], test["max_score"]) == (1, 4)
    assert test["message"] == "right for 1 of the four lists"
    assert report["limits"]["call_seconds"] == 2
    assert bool(report["warnings"]) != SANDBOXED
    assert bool(report["students"]["right"]["sandbox"])
    assert report["students"]["absent"]["sandbox"] == ""
    seeds = [s.seed for s in graded.report.students.values() if s.seed is not None]
    assert len(set(seeds)) == len(seeds), "each student's own"


def test_the_gradebook_is_sound_and_nbgraders(graded):
    with sqlite3.connect(graded.into / "gradebook.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with book_of(graded.into) as book:
        for name in ("right", "wrong", "cut-off"):
            submission = book.find_submission(NAME, name)
            assert submission.score == graded.report.students[name].score
        assert book.find_submission(NAME, "right").needs_manual_grade
        assert not book.find_submission(NAME, "cut-off").needs_manual_grade


def test_the_release_is_the_committed_one(graded):
    """What the engine generates for itself has the learners' cells.

    All but the one that installs the course: grading has no use for it.
    """
    import nbformat

    def read(path):
        return nbformat.read(path, as_version=4).cells

    committed = read(graded.course / "notebooks" / "assignments" / NAME / f"{NAME}.ipynb")
    own = read(graded.into / "release" / NAME / f"{NAME}.ipynb")
    assert [cells.is_added(cell) for cell in committed].count(True) == 1
    assert [cell.source for cell in own] == [
        cell.source for cell in committed if not cells.is_added(cell)
    ]
