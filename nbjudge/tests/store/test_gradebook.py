"""The gradebook: one transaction for a submission, late work, another database than a file."""

import contextlib
import shutil
import sqlite3
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from small_set import COURSE_ID, NAME, answered, book_of, cell, grade, hand_in

from nbjudge.failure import GradingFailed
from nbjudge.run import engine
from nbjudge.store import gradebook
from nbjudge.store.folder import GradingFolder
from nbjudge.store.gradebook import Book

pytestmark = [
    pytest.mark.thorough("grading of small classes"),
    pytest.mark.usefixtures("one_nursery"),
    # nbgrader's own way of filling its tables.
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]

DUE = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def folder(small_course, tmp_path):
    """A folder made ready, with one student in it."""
    folder = GradingFolder(tmp_path / "out", small_course, NAME)
    with folder.only_one(), folder.ledger() as ledger:
        folder.prepare(ledger)
    return folder


def opened(folder):
    return Book(folder.url, folder.course_id, NAME, folder.config)


def run_notebook(folder, score=None):
    """The release as if it had been run: all tests passed, or the last with ``score``."""
    notebook = folder.release()
    if score is not None:
        data = {"text/plain": str(score)}
        cell(notebook, "sum-squares--partial").outputs = [
            nbformat.v4.new_output("execute_result", data=data)
        ]
    return notebook


def test_what_is_saved_is_what_nbgrader_reads(folder):
    with opened(folder) as book:
        book.enrol(["ada"])
        assert book.marks("ada") is None
        book.save("ada", run_notebook(folder, 1), DUE)
        marks = book.marks("ada")
    scores = {name: mark.score for name, mark in marks.grades.items()}
    assert scores == {
        "double--values": 2,
        "double--hidden": 3,
        "sum-squares--values": 1,
        "sum-squares--partial": 1,
        "explain--written": 0,
    }
    with Gradebook(folder.url, COURSE_ID) as theirs:
        submission = theirs.find_submission(NAME, "ada")
        assert (submission.score, submission.needs_manual_grade) == (7, False)
        assert submission.timestamp == DUE.replace(tzinfo=None)
        comment = theirs.find_comment("double", NAME, NAME, "ada")
        assert comment.auto_comment == "No response."


def test_a_submission_is_saved_whole_or_not_at_all(folder, monkeypatch):
    with opened(folder) as book:
        book.enrol(["ada"])
        book.save("ada", run_notebook(folder, 1), None)

        def stop(*_):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Book, "_assign_penalty", stop)
            with pytest.raises(KeyboardInterrupt):
                book.save("ada", run_notebook(folder, 4), None)
            with pytest.raises(KeyboardInterrupt):
                book.save_nothing("ada")
        assert book.marks("ada").grades["sum-squares--partial"].score == 1
    with opened(folder) as book:
        assert book.marks("ada").grades["sum-squares--partial"].score == 1


def test_many_students_do_not_fill_the_memory(folder):
    with opened(folder) as book:
        book.enrol([f"s{n}" for n in range(30)])
        for n in range(30):
            book.save(f"s{n}", run_notebook(folder), None)
        assert len(book._session.identity_map) < 300
        assert len(book.all_marks()) == 30


def set_due(into, extension=None):
    with book_of(into) as book:
        book.update_or_create_assignment(NAME, duedate=DUE.replace(tzinfo=None))
        if extension is not None:
            book.find_submission(NAME, "ada").extension = extension
            book.db.commit()


def test_late_work_pays_by_the_trusted_clock(small_course, tmp_path, monkeypatch):
    """nbgrader's own plugin takes off what its settings say; a learner's file says nothing."""
    path = hand_in(tmp_path / "in", "ada", answered(small_course))
    (path.parent / "timestamp.txt").write_text(f"{DUE - timedelta(days=3):%Y-%m-%d %H:%M:%S} UTC")
    receipts = tmp_path / "in" / "receipts.csv"
    receipts.write_text(f"student,received\nada,{(DUE + timedelta(hours=5)).isoformat()}\n")
    real = engine.GradingFolder

    def strict(*args, **named):
        folder = real(*args, **named)
        folder.config.LateSubmissionPlugin.penalty_method = "zero"
        return folder

    monkeypatch.setattr(engine, "GradingFolder", strict)
    into = tmp_path / "out"
    assert grade(tmp_path / "in", into, small_course).students["ada"].score == 10
    set_due(into)
    report = grade(tmp_path / "in", into, small_course)
    result = report.students["ada"]
    assert report.executed == []
    assert (result.score, result.penalty) == (0, 10)
    assert "came 5 h late: 10 points deducted" in result.flags
    page = into / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert "5 h late" in page.read_text("utf-8")
    set_due(into, timedelta(hours=6))
    assert grade(tmp_path / "in", into, small_course).students["ada"].score == 10
    receipts.write_text(f"student,received\nada,{(DUE + timedelta(hours=7)).isoformat()}\n")
    result = grade(tmp_path / "in", into, small_course).students["ada"]
    assert (result.score, "came 60 min late: 10 points deducted" in result.flags) == (0, True)


def test_a_gradebook_that_somebody_writes_to_is_waited_for(folder, monkeypatch):
    """A formgrader that is open beside the grader must not stop it."""
    assert "60000" in gradebook._wait.__code__.co_consts[1]
    with opened(folder) as book, sqlite3.connect(folder.into / "gradebook.db") as other:
        book.enrol(["ada"])
        (wait,) = book._session.connection().exec_driver_sql("PRAGMA busy_timeout").one()
        book._session.rollback()
        assert wait == 60000
        other.execute("BEGIN IMMEDIATE")
        other.rollback()
        book.save("ada", run_notebook(folder), None)


def test_marks_stay_in_the_database_they_are_in(small_course, tmp_path):
    hand_in(tmp_path / "in", "ada", answered(small_course))
    grade(tmp_path / "in", tmp_path / "out", small_course)
    with pytest.raises(GradingFailed, match=r"are in gradebook\.db, not in sqlite.*elsewhere"):
        grade(
            tmp_path / "in",
            tmp_path / "out",
            small_course,
            database=f"sqlite:///{tmp_path / 'elsewhere.db'}",
        )


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    """The URL of a PostgreSQL of our own, on a socket that nobody else sees."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (programs and str(programs[-1]))
    if not initdb:
        pytest.skip("needs PostgreSQL (initdb) on this machine")
    place = Path(initdb).parent
    folder = tmp_path_factory.mktemp("pg")
    as_owner = []
    with contextlib.suppress(FileNotFoundError, subprocess.CalledProcessError):
        if subprocess.run(["id", "-u"], capture_output=True, text=True).stdout.strip() == "0":
            # PostgreSQL refuses to run as root. pytest's folders are its owner's alone.
            above = [p for p in folder.parents if p.name.startswith(("pytest-", "popen-"))]
            for parent in (folder, *above):
                parent.chmod(parent.stat().st_mode | 0o055)
            shutil.chown(folder, "nobody")
            as_owner = ["setpriv", "--reuid=nobody", "--clear-groups", "--"]
    data = folder / "data"

    def call(*command):
        subprocess.run([*as_owner, *command], check=True, capture_output=True, cwd=folder)

    try:
        call(str(place / "initdb"), "-D", str(data), "-A", "trust", "-U", "grader", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        start = ["-D", str(data), "-o", options, "-l", str(folder / "log"), "-w"]
        call(str(place / "pg_ctl"), *start, "start")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"PostgreSQL does not start here: {error.stderr.decode()[-200:]}")
    yield f"postgresql+psycopg://grader:secret@/postgres?host={folder}"
    call(str(place / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")


def test_postgresql(postgres, small_course, tmp_path):
    """The same marks as in a file; the password is written nowhere."""
    hand_in(tmp_path / "in", "ada", answered(small_course))
    hand_in(tmp_path / "in", "bob", answered(small_course, double="double = abs"))
    hand_in(tmp_path / "in", "eve", "{")
    hand_in(tmp_path / "in", "long" * 40, answered(small_course))
    report = grade(tmp_path / "in", tmp_path / "out", small_course, database=postgres)
    assert any("longlong" in line for line in report.warnings), "it is named, and stops nobody"
    assert {name: result.score for name, result in report.students.items()} == {
        "ada": 10,
        "bob": 5,
        "eve": 0,
    }
    with Gradebook(postgres, COURSE_ID) as book:
        assert book.find_submission(NAME, "ada").score == 10
        mark = book.find_grade("explain--written", NAME, NAME, "ada")
        mark.manual_score, mark.needs_manual_grade = 3, False
        book.db.commit()
    again = grade(tmp_path / "in", tmp_path / "out", small_course, database=postgres)
    assert (again.executed, again.students["ada"].score) == ([], 13)
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert b"grader:secret" not in path.read_bytes(), path
    settings = (tmp_path / "out" / "nbgrader_config.py").read_text()
    assert 'os.environ.get("TFCOURSE_DB"' in settings.replace("'", '"')
