"""Rules at work: late or not, extensions, tests that are void or rescaled, tests that changed."""

import json
import os
import shutil
from datetime import UTC, datetime, timedelta

import nbformat
import pytest
from command_line import table_in
from small_set import NAME, answered, book_of, cell, grade, hand_in, mark, release_of

from nbjudge.intake.find import parse
from nbjudge.intake.merge import blank, merge
from nbjudge.report.why import why as explain
from nbjudge.run import engine
from nbjudge.run.submissions import Grading

pytestmark = [
    pytest.mark.usefixtures("one_nursery"),
    pytest.mark.thorough("grading of small classes"),
]

DUE = datetime(2026, 11, 1, 12, tzinfo=UTC)
SET = f"[{NAME}]\n"
LATE = SET + f'due = {DUE:%Y-%m-%dT%H:%M:%SZ}\npenalty = "10 % per day"\n'


def receipts(submitted, **late):
    rows = [f"{name},{NAME},{(DUE + after).isoformat()}\n" for name, after in late.items()]
    (submitted / "receipts.csv").write_text("student,problem_set,received\n" + "".join(rows))


def score_in_gradebook(into, student):
    with book_of(into) as gradebook:
        handed_in = gradebook.find_submission(NAME, student)
        return handed_in.score, handed_in.max_score


def rows(into):
    return {row["student"]: row for row in table_in(into / "grades.csv")}


# -- late ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [-30, 30])
def test_a_time_that_the_learner_can_set_is_no_time(three, days):
    """Neither the file's own time nor timestamp.txt makes anybody late, or in time."""
    path = three.submitted / "ada" / NAME / f"{NAME}.ipynb"
    when = DUE + timedelta(days=days)
    os.utime(path, (when.timestamp(), when.timestamp()))
    (path.parent / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC")
    report = three(LATE)
    result = report.students["ada"]
    assert (result.score, result.penalty, result.received) == (10, 0, "")
    assert "time not known: receipts.csv does not say when it came in" in result.flags
    page = three.into / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert "time not known" not in page.read_text("utf-8"), "that is the instructor's to look at"
    row = rows(three.into)["ada"]
    assert (row["received"], row["late by"], row["penalty"]) == ("time not known", "", "0")
    about = json.loads((three.into / "report.json").read_text())[NAME]["students"]["ada"]
    assert (about["received"], about["received_known"]) == ("", False)
    with book_of(three.into) as gradebook:
        assert gradebook.find_submission(NAME, "ada").timestamp is None


def test_without_a_due_date_nobody_asks_for_the_time(three):
    result = three().students["ada"]
    assert not [flag for flag in result.flags if "time" in flag]


def test_late_work_pays_what_the_file_says(three, monkeypatch):
    monkeypatch.setattr(engine, "judge_all", None)  # nothing is run again
    receipts(three.submitted, ada=timedelta(days=1, hours=3), ben=timedelta(days=20))
    report = three(LATE)
    ada, ben = report.students["ada"], report.students["ben"]
    assert (ada.raw_score, ada.penalty, ada.score) == (10, pytest.approx(2.6), pytest.approx(7.4))
    assert "came 27 h late: 2.6 points deducted" in ada.flags
    assert (ben.penalty, ben.score) == (5, 0), "never more than there is"
    row = rows(three.into)["ada"]
    assert [row[name] for name in ("raw score", "penalty", "score", "late by")] == [
        *("10", "2.6", "7.4", "27 h")
    ]
    assert row["received"] == "2026-11-02T15:00:00+00:00"
    assert score_in_gradebook(three.into, "ada")[0] == 10
    # A first extension is not enough, a second one is, and a third takes it back.
    extension = f"{LATE}extensions.ada = "
    assert three(extension + '"1 day"').students["ada"].penalty == pytest.approx(1.3)
    result = three(extension + '"2 days"').students["ada"]
    assert (result.score, result.late_seconds) == (10, 0)
    with book_of(three.into) as gradebook:
        submission = gradebook.find_submission(NAME, "ada")
        assert submission.extension == timedelta(days=2), "where nbgrader looks for it"
    assert three(f'{LATE}[extra_time]\nada = "1 day 3 hours"').students["ada"].score == 10
    assert three(LATE).students["ada"].score == pytest.approx(7.4)


def test_rules_that_are_gone_leave_nothing_behind(three):
    receipts(three.submitted, ada=timedelta(days=1))
    assert three(LATE + 'extensions.ben = "1 day"').students["ada"].score < 10
    assert three("").students["ada"].score == 10
    with book_of(three.into) as gradebook:
        assert gradebook.find_assignment(NAME).duedate is None
        assert gradebook.find_submission(NAME, "ben").extension is None


def test_a_due_date_from_the_formgrader_stays(three):
    """What the file does not say, it does not change."""
    receipts(three.submitted, ada=timedelta(days=1))
    with book_of(three.into) as gradebook:
        gradebook.update_or_create_assignment(NAME, duedate=DUE.replace(tzinfo=None))
    result = three(SET).students["ada"]
    assert "came 24 h late: no points deducted" in result.flags
    with book_of(three.into) as gradebook:
        assert gradebook.find_assignment(NAME).duedate == DUE.replace(tzinfo=None)


def test_one_sets_receipts_say_nothing_of_another(three, small_course, tmp_path):
    """Nine learners once lost all of their points for work that was in time."""
    course = shutil.copytree(small_course, tmp_path / "course")
    other = course / "solutions" / "ps98-other"
    other.mkdir()
    shutil.copy(course / "solutions" / NAME / f"{NAME}.ipynb", other / "ps98-other.ipynb")
    times = {NAME: DUE - timedelta(days=1), "ps98-other": DUE + timedelta(days=14)}
    table = "".join(f"ada,{name},{when.isoformat()}\n" for name, when in times.items())
    (three.submitted / "receipts.csv").write_text("student,problem_set,received\n" + table)
    result = three(LATE, course=course).students["ada"]
    assert (result.score, result.late_seconds) == (10, 0)
    assert result.received == "2026-10-31T12:00:00+00:00"


# -- void and rescaled -----------------------------------------------------------------------------


def test_a_void_test_gives_everybody_its_points(three, monkeypatch):
    mark(three.into, "ada", 1)
    mark(three.into, "ben", 2)
    monkeypatch.setattr(engine, "judge_all", None)  # nothing is run again
    report = three(SET + 'void = ["double--hidden"]\n')
    assert report.executed == []
    ada, ben, eve = (report.students[name] for name in ("ada", "ben", "eve"))
    assert (ada.score, ada.max_score) == (11, 13)
    assert (ben.exercises["double"].score, ben.score) == (3, 10)
    assert "no longer counts" in ben.tests["double--hidden"].message
    assert eve.score == 0, "nothing was handed in that could be graded"
    assert score_in_gradebook(three.into, "ben") == (10, 13)
    page = (three.into / "feedback" / "ben" / NAME / f"{NAME}.html").read_text("utf-8")
    assert "Everyone gets its points" in page
    assert three("").students["ben"].score == 7, "and back, with the marks by hand"
    assert score_in_gradebook(three.into, "ben") == (7, 13)


def test_a_mark_by_hand_on_a_void_test_comes_back_with_it(three, monkeypatch):
    mark(three.into, "ada", 1)
    mark(three.into, "ben", 1, "double--hidden")
    assert three().students["ben"].exercises["double"].score == 1
    void = SET + 'void = ["explain", "double--hidden"]\n'
    with monkeypatch.context() as patch:
        # Killed after the gradebook was written: the mark is in the ledger already.
        patch.setattr(Grading, "finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            three(void)
    report = three(void)
    assert report.students["ada"].score == 13
    assert report.students["ben"].exercises["double"].score == 3
    assert report.provisional == report.held == ["eve"], "nothing waits for a mark any more"
    report = three("")
    assert report.students["ada"].exercises["explain"].score == 1
    assert report.students["ben"].exercises["double"].score == 1
    assert report.students["ben"].exercises["explain"].score is None, "and what waited waits again"
    assert report.executed == []


def test_a_void_test_stays_void_when_the_work_changes(three):
    three(SET + 'void = ["double--hidden"]\n')
    mark(three.into, "ben", 1, "double--hidden")
    hand_in(three.submitted, "ben", answered(three.course, double="double = float"))
    report = three()
    assert report.executed == ["ben"]
    assert report.students["ben"].tests["double--hidden"].score == 3


def test_a_rescaled_test_keeps_its_share(three, monkeypatch):
    mark(three.into, "ada", 2)
    mark(three.into, "ben", 1, "double--hidden")
    monkeypatch.setattr(engine, "judge_all", None)
    report = three(SET + 'points = { "sum-squares--partial" = 8, "double--hidden" = 1.5 }\n')
    ada, ben = report.students["ada"], report.students["ben"]
    assert (ada.score, ada.max_score) == (2 + 1.5 + 1 + 8 + 2, 2 + 1.5 + 1 + 8 + 3)
    assert score_in_gradebook(three.into, "ada") == (ada.score, ada.max_score)
    assert ben.tests["double--hidden"].score == 1, "a mark by hand stays"
    assert "double--hidden was marked by hand before its points changed: look again" in ben.flags
    result = three("").students["ada"]
    assert (result.score, result.max_score) == (12, 13)


def test_a_name_that_is_no_test_is_refused(three):
    with pytest.raises(ValueError, match="class.toml names 'treble' under void .*double--values"):
        three(SET + 'void = ["treble"]\n')


# -- a test that the instructor changed ------------------------------------------------------------


@pytest.mark.parametrize("release_kept", [True, False])
def test_a_test_that_the_instructor_changed_is_not_blamed_on_learners(
    three, tmp_path, release_kept
):
    """They keep the version that they were given. The ledger knows it, or the stored release."""
    three()
    mark(three.into, "ada", 2)
    course = shutil.copytree(three.course, tmp_path / "changed")
    path = course / "solutions" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    test = cell(notebook, "double--values")
    test.source = test.source.replace("double, 3", "double, 4").replace("!= 6", "!= 8")
    nbformat.write(notebook, path)
    into = three.into
    if release_kept:
        # A new folder: only the release in the course says what was given out.
        into = tmp_path / "new"
    else:
        shutil.rmtree(course / "notebooks")
    hand_in(three.submitted, "eve", tampered(three.course))
    report = grade(three.submitted, into, course, workers=1)
    assert set(report.executed) == {"ada", "ben", "eve"}
    for name in ("ada", "ben"):
        assert not [flag for flag in report.students[name].flags if "changed" in flag]
    assert "test cell double--values was changed; ours was run" in report.students["eve"].flags
    if not release_kept:
        assert report.students["ada"].exercises["explain"].score == 2, "marks by hand stay"


def test_a_version_that_nobody_remembers_is_told_from_a_change(small_course):
    """Released again before anything was graded: by nbgrader's checksum the cell is unchanged.

    It is reported, since a checksum can be forged, and nobody is accused.
    """
    release = release_of(small_course)
    later = nbformat.from_dict(dict(release))
    cell(later, "double--values").source += "\n# clearer"
    for notebook, flag in (
        (answered(small_course), "test cell double--values is from another version; ours was run"),
        (tampered(small_course), "test cell double--values was changed; ours was run"),
    ):
        parsed = parse(json.dumps(notebook).encode())
        assert merge(parsed.cells, blank(later, later), later)[1].flags == [flag]


def tampered(course):
    notebook = answered(course)
    cell(notebook, "double--values").source = "pass"
    return notebook


def test_a_name_is_the_same_however_its_accents_are_spelled(small_course, tmp_path):
    """macOS spells the accents of a folder's name apart; a spreadsheet and class.toml do not."""
    composed, apart = "renée", "rene\u0301e"
    submitted, into = tmp_path / "in", tmp_path / "out"
    hand_in(submitted, apart, answered(small_course))
    (submitted / "roster.csv").write_text(f"student\n{composed}\n", encoding="utf-8")
    # One day late, extended by another.
    when = (DUE + timedelta(days=1)).isoformat()
    table = f"student,problem_set,received\n{composed},{NAME},{when}\n"
    (submitted / "receipts.csv").write_text(table, encoding="utf-8")
    rules = f'{LATE}[{NAME}.extensions]\n"{apart}" = "2 days"\n'
    (submitted / "class.toml").write_text(rules, encoding="utf-8")
    report = grade(submitted, into, small_course)
    assert list(report.students) == [composed]
    result = report.students[composed]
    assert result.flags == ["explain--written awaits manual marking"]
    assert report.warnings == []
    assert result.score > 0
    assert result.penalty == 0
    assert explain(NAME, submitted, into, apart, "double", course=small_course).student == composed
    assert grade(submitted, into, small_course, again=[apart]).executed == [composed]
    # Two folders of one name: a file system that keeps both makes no second student.
    hand_in(submitted, composed, answered(small_course, double="double = abs"))
    report = grade(submitted, into, small_course)
    assert list(report.students) == [composed]
    assert report.executed == [composed]
    (line,) = report.warnings
    assert r"the one spelled 'rene\u0301e' was left out" in line
