"""Graded again: what is finished is not run again, what changed is, and marks by hand stay."""

import getpass
import json
import shutil
import sqlite3
from datetime import UTC, datetime

import pytest
from small_set import NAME, answered, grade, hand_in, mark

from nbjudge.marking.record import RECORD, last_acts
from nbjudge.run import bench, engine
from nbjudge.run.bench import JudgeFailed
from nbjudge.store.ledger import Ledger

pytestmark = [
    pytest.mark.usefixtures("one_nursery"),
    pytest.mark.thorough("grading of small classes"),
]


def refuse(*_, **__):
    """In place of the judge, where nothing is to be judged."""
    raise AssertionError("something was judged")


def test_a_second_run_judges_nothing(three, monkeypatch):
    before = json.loads((three.into / "report.json").read_text())[NAME]
    assert before["executed"] == ["ada", "ben"]
    grades = (three.into / "grades.csv").read_bytes()

    monkeypatch.setattr(engine, "judge_all", refuse)
    second = three()
    assert second.executed == []
    assert (three.into / "grades.csv").read_bytes() == grades
    for name, student in second.students.items():
        assert student.seed == before["students"][name]["seed"]


def test_changed_work_is_graded_again_and_only_that(three):
    hand_in(three.submitted, "ben", answered(three.course))
    report = three()
    assert report.executed == ["ben"]
    assert report.students["ben"].exercises["double"].score == 5


def test_work_that_breaks_loses_its_old_score(three):
    hand_in(three.submitted, "ada", "{")
    report = three()
    assert report.students["ada"].score == 0
    assert "cut off" in report.students["ada"].flags[0]
    page = three.into / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert "cut off" in page.read_text(encoding="utf-8")


def test_a_run_that_fails_leaves_no_stale_score(three, monkeypatch):
    """nbgrader would keep the first run's points."""
    assert three().students["ada"].score == 10
    hand_in(
        three.submitted, "ada", answered(three.course, double="def double(x):\n    return x + x ")
    )

    def fail(*_):
        raise JudgeFailed("no more processes")

    with monkeypatch.context() as patch:
        patch.setattr(bench.Bench, "judge", fail)
        report = three()
    assert report.students["ada"].score == 0
    assert "could not be graded" in report.students["ada"].flags[0]
    assert report.unfinished == ["ada"]
    assert not (three.into / "autograded" / "ada" / NAME / f"{NAME}.ipynb").exists()
    assert report.students["ben"].score == 5, "others are not touched"
    report = three()
    assert report.executed == ["ada"], "tried again"
    assert report.students["ada"].score == 10


def test_a_mark_by_hand_counts_at_the_next_run_without_running_anything(three):
    mark(three.into, "ada", 2)
    report = three()
    assert report.executed == []
    assert report.students["ada"].exercises["explain"].score == 2
    assert report.students["ada"].score == 12
    assert report.students["ada"].flags == []
    line = "ada,ps99-small,12,13,5,5,2,12,0,time not known,,no,\n"
    assert line in (three.into / "grades.csv").read_text()
    page = three.into / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert "12 of 13 points" in page.read_text(encoding="utf-8"), "the page is made anew"


def test_a_mark_by_hand_is_told_with_who_gave_it_and_when(three):
    before = datetime.now(UTC).replace(microsecond=0)
    mark(three.into, "ada", 2)
    mark(three.into, "ada", 1.5)
    mark(three.into, "ada", 1.5)
    acts = (three.into / RECORD).read_text().splitlines()
    assert len(acts) == 2, "saving the same again is no act"
    act = last_acts(three.into, NAME)["ada", "explain--written"]
    assert (act.points, act.account) == (1.5, getpass.getuser())
    assert before <= datetime.fromisoformat(act.time) <= datetime.now(UTC)
    # What a full disk cuts off, or somebody else writes, is passed over.
    with (three.into / RECORD).open("a") as file:
        file.write('{"time": 3}\n[]\n{"time": "')
    report = three()
    message = f"1.5 by {act.account} on {act.time}"
    assert report.students["ada"].by_hand == {"explain--written": message}
    assert report.students["ada"].flags == []
    assert message in (three.into / "overview" / f"{NAME}.html").read_text()
    mark(three.into, "ada", None)
    assert three().students["ada"].by_hand == {}


def test_marks_that_nobody_is_known_to_have_given_are_flagged(three):
    """As a script in the marker's browser once gave them, or whoever gets at the file."""
    with sqlite3.connect(three.into / "gradebook.db") as book:
        book.execute(
            "UPDATE grade SET manual_score = 9, needs_manual_grade = 0 WHERE notebook_id = "
            "(SELECT id FROM submitted_notebook WHERE assignment_id = "
            "(SELECT id FROM submitted_assignment WHERE student_id = 'ben'))"
        )
        book.execute(
            "UPDATE grade SET auto_score = 4.5 WHERE auto_score = 4 AND notebook_id = "
            "(SELECT id FROM submitted_notebook WHERE assignment_id = "
            "(SELECT id FROM submitted_assignment WHERE student_id = 'ada'))"
        )
        book.execute("UPDATE grade SET extra_credit = 1 WHERE auto_score = 4.5")
    book.close()
    for _ in range(2):  # and stay flagged
        report = three()
        flags = report.students["ben"].flags
        assert len(flags) == 5
        for name, flag in zip(report.students["ben"].tests, flags, strict=True):
            assert flag == f"{name}: 9 points by hand, but no such marking is on record"
        waits, *flags = sorted(report.students["ada"].flags)
        assert waits.endswith("awaits manual marking")
        assert flags == [
            "sum-squares--partial: 4.5 automatic points, not 4, but no such grading is on record",
            "sum-squares--partial: no mark and 1 extra points by hand, but no such marking is on "
            "record",
        ]
    page = three.into / "feedback" / "ben" / NAME / f"{NAME}.html"
    assert "on record" not in page.read_text(), "that is the instructor's to look at"
    assert "on record" in (three.into / "grades.csv").read_text()
    flags = three(again=["ada"]).students["ada"].flags
    assert not any("machine" in flag for flag in flags), "graded again, they are put right"


def test_again_grades_one_and_keeps_the_mark_by_hand(three):
    seed = three().students["ada"].seed
    mark(three.into, "ada", 3)
    report = three(again=["ada"])
    assert report.executed == ["ada"]
    result = report.students["ada"]
    assert (result.score, result.flags) == (13, [])
    assert result.seed != seed, "drawn anew"


def test_a_mark_by_hand_on_work_that_changed_asks_for_a_second_look(three):
    mark(three.into, "ada", 3)
    hand_in(three.submitted, "ada", answered(three.course, explain="Another answer."))
    result = three().students["ada"]
    assert result.score == 13
    assert result.flags == [
        "explain--written was marked by hand before the work changed: look again"
    ]
    mark(three.into, "ada", 1)
    assert three().students["ada"].flags == []


def test_a_mark_by_hand_stays_with_a_flag_where_nothing_can_be_judged_any_more(three):
    mark(three.into, "ada", 3)
    hand_in(three.submitted, "ada", b"<!DOCTYPE html><html></html>")
    asks = "explain--written was marked by hand before the work changed: look again"
    assert asks in three().students["ada"].flags
    assert asks in three(accept=["ada"]).students["ada"].flags, (
        "of the mark by hand nothing was said"
    )
    mark(three.into, "ada", 0)
    assert asks not in three().students["ada"].flags
    assert asks not in three(again=["ada"]).students["ada"].flags, "it was given on this very work"


def test_a_seed_replays_a_grading(three):
    report = three(seed=7)
    assert [report.students[name].seed for name in ("ada", "ben")] == [7, 7]
    assert three(seed=7).executed == []
    assert three().executed == [], "without one the seeds of before stand"
    assert three(seed=8).executed == ["ada", "ben"]


def test_a_result_that_was_kept_is_put_away_without_judging_again(three, monkeypatch):
    """Killed between the judgement and the gradebook."""
    before = three().students["ada"]
    hand_in(three.submitted, "ada", answered(three.course, double="double = abs"))
    with monkeypatch.context() as patch:
        patch.setattr(engine.Grading, "commit", refuse)
        with pytest.raises(AssertionError):
            three()
    with monkeypatch.context() as patch:
        patch.setattr(engine, "judge_all", refuse)
        report = three()
    assert before.score == 10
    assert report.students["ada"].score == 5
    assert report.students["ada"].seed != before.seed


def test_work_under_way_when_killed_keeps_its_seed(three, monkeypatch):
    hand_in(three.submitted, "ada", answered(three.course, double="double = abs"))
    with monkeypatch.context() as patch:
        patch.setattr(bench.Bench, "judge", refuse)
        with pytest.raises(AssertionError):
            three()
    with Ledger(three.into / "ledger.db") as ledger:
        seed = ledger.entry(NAME, "ada").seed
    assert three().students["ada"].seed == seed


def test_work_that_changed_after_it_was_judged_is_judged_anew(three, monkeypatch):
    hand_in(three.submitted, "ada", answered(three.course, double="double = abs"))
    with monkeypatch.context() as patch:
        patch.setattr(engine.Grading, "commit", refuse)
        with pytest.raises(AssertionError):
            three()
    hand_in(three.submitted, "ada", answered(three.course))
    assert three().students["ada"].score == 10


def test_a_seed_with_again_is_for_those_named(three):
    before = three().students
    report = three(again=["ada"], seed=11)
    assert report.executed == ["ada"]
    assert report.students["ada"].seed == 11
    assert report.students["ben"].seed == before["ben"].seed


def test_another_sandbox_or_other_limits_are_another_judgement(three):
    from nbjudge.judge import Limits

    assert three(limits=Limits(call_seconds=3, cell_seconds=2)).executed == ["ada", "ben"]


def test_two_gradings_at_once_are_refused(three):
    from filelock import FileLock

    from nbjudge.failure import GradingFailed

    with FileLock(three.into / ".lock"), pytest.raises(GradingFailed, match="Another grading"):
        three()


def test_cells_added_after_grading_are_refused_in_a_line(small_course, three, tmp_path):
    import nbformat

    from nbjudge.failure import GradingFailed

    course = shutil.copytree(small_course, tmp_path / "changed")
    path = course / "solutions" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if cell.id != "double--hidden"]
    nbformat.write(notebook, path)
    with pytest.raises(GradingFailed, match="Cannot add or remove cells.*grade into a new folder"):
        grade(three.submitted, three.into, course)
