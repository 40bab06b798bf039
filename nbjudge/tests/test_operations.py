"""A graded class is backed up, restored, opened by a newer version, and forgotten."""

import json
import os
import shutil
import sqlite3
import zipfile

import pytest
from command_line import run_in_one_line as run
from filelock import FileLock
from small_set import NAME, answered, book_of, grade, hand_in, mark

from nbjudge.failure import GradingFailed
from nbjudge.marking import rubric
from nbjudge.marking.opening import open_desk
from nbjudge.report.likeness import likeness, write_likeness
from nbjudge.run import engine
from nbjudge.store import archive
from nbjudge.store.archive import LEDGER, MANIFEST, backup, restore
from nbjudge.store.ledger import VERSION, Ledger

pytestmark = [
    pytest.mark.usefixtures("one_nursery", "in_small_course"),
    pytest.mark.thorough("grading of small classes"),
]

CLASS = ("ada", "adam", "bob", "cleo", "dan", "eve")


@pytest.fixture(scope="module")
def graded(small_course, tmp_path_factory):
    """A class, graded, with a mark by hand, a roster, receipts and rules."""
    folder = tmp_path_factory.mktemp("term")
    submitted, into = folder / "in", folder / "out"
    for name in CLASS:
        wrong = {} if name != "bob" else {"double": "def double(x):\n    return abs(x) + abs(x)"}
        hand_in(submitted, name, answered(small_course, **wrong))
    rows = "".join(f"{name},{number}\n" for number, name in enumerate(CLASS))
    (submitted / "roster.csv").write_text(f"student,canvas_id\n{rows}")
    times = "".join(f"{name},2026-11-01 10:00,{NAME}\n" for name in CLASS)
    (submitted / "receipts.csv").write_text(f"student,received,problem_set\n{times}")
    (submitted / "class.toml").write_text(
        f'timezone = "UTC"  # as ada wished\n[{NAME}]\ndue = 2026-11-02T09:00:00\n'
        f'[{NAME}.extensions]\nada = "1 day"\nadam = "2 days"\n'
    )
    grade(submitted, into, small_course)
    for name in ("ada", "bob"):
        mark(into, name, 2)
    with open_desk(NAME, into, "mia", course=small_course) as desk:
        desk.ask("ada", "double", "My answer is right.")
        desk.ask("adam", "double", "Mine, too.")
    write_likeness(likeness(NAME, into, course=small_course), into)
    (into / "grading.log").write_text("INFO ada was judged\nINFO adam was judged\n")
    report = grade(submitted, into, small_course)
    assert report.students["ada"].score == 12
    return folder


@pytest.fixture
def term(graded, tmp_path):
    """A copy of its folders, to be written to."""
    for name in ("in", "out"):
        shutil.copytree(graded / name, tmp_path / name)
    return tmp_path


def contents(folder):
    """What a folder holds, by path; databases as text."""
    contents_of = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".db":
            with sqlite3.connect(path) as database:
                contents_of[name] = "\n".join(database.iterdump())
        elif path.is_file() and path.name != ".lock" and not path.name.endswith(("-wal", "-shm")):
            contents_of[name] = path.read_bytes()
    return contents_of


# -- backup and restore ----------------------------------------------------------------------------


def test_what_is_restored_is_what_was_backed_up(term, small_course, monkeypatch):
    path = term / "backups" / "term.zip"
    code, output = run("backup", term / "out", path, "--submitted", term / "in")
    assert code == 0 and "verified" in output, output
    code, output = run("restore", path, term / "again", "--submitted", term / "again-in")
    assert code == 0 and "all as backed up" in output, output
    assert contents(term / "again") == contents(term / "out")
    assert contents(term / "again-in") == contents(term / "in")

    monkeypatch.setattr(engine, "judge_all", None)  # nothing is judged again
    report = grade(term / "again-in", term / "again", small_course)
    assert report.executed == [] and report.students["ada"].score == 12


def test_nothing_is_overwritten_unless_told(term):
    path = term / "term.zip"
    backup(term / "out", path)
    code, output = run("backup", term / "out", path)
    assert code == 2 and "--overwrite" in output
    (term / "out" / "more.txt").write_text("new")
    code, output = run("restore", path, term / "out")
    assert code == 2 and "--overwrite" in output and (term / "out" / "more.txt").exists()
    assert run("backup", term / "out", path, "--overwrite")[0] == 0
    (term / "out" / "more.txt").write_text("newer")
    code, output = run("restore", path, term / "out", "--overwrite")
    assert code == 0 and (term / "out" / "more.txt").read_text() == "new"
    (aside,) = term.glob("out.before-*")
    assert str(aside) in output and (aside / "more.txt").read_text() == "newer"
    with FileLock(term / "out" / ".lock"):
        code, output = run("restore", path, term / "out", "--overwrite")
    assert code == 2 and "running" in output


@pytest.mark.parametrize(
    "what", ["changed", "missing", "added", "outside", "cut", "other", "newer"]
)
def test_a_damaged_archive_is_refused(graded, tmp_path, what):
    path, other = tmp_path / "term.zip", tmp_path / "other.zip"
    backup(graded / "out", path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == MANIFEST and what == "newer":
                data = data.replace(b'"format": 1', b'"format": 2')
            if name == MANIFEST and what == "outside":
                manifest = json.loads(data)
                manifest["files"]["graded/../../x"] = manifest["files"]["graded/report.json"]
                data = json.dumps(manifest)
            if name == "graded/report.json" and what == "changed":
                data += b" "
            if name != "graded/report.json" or what != "missing":
                target.writestr(name, data)
            if name == "graded/report.json" and what == "outside":
                target.writestr("graded/../../x", data)
        if what == "added":
            target.writestr("graded/more", b"")
    if what == "cut":
        other.write_bytes(other.read_bytes()[:-100])
    if what == "other":
        other.write_bytes(b"text")
    match = "newer version" if what == "newer" else "damaged"
    with pytest.raises(ValueError, match=match):
        restore(other, tmp_path / "out")
    assert not (tmp_path / "out").exists() and not (tmp_path.parent / "x").exists()


def test_a_backup_while_a_grading_runs_is_whole(term, small_course, monkeypatch):
    """What is finished after the ledger was copied is judged again after a restore."""
    copy = archive._copy_database

    def then_grades(path, target):
        copy(path, target)
        if path.name == LEDGER:
            changed = "def double(x):\n    return 2 * x"
            hand_in(term / "in", "cleo", answered(small_course, double=changed))
            assert grade(term / "in", term / "out", small_course).executed == ["cleo"]

    with monkeypatch.context() as patch:
        patch.setattr(archive, "_copy_database", then_grades)
        backup(term / "out", term / "term.zip")
    restore(term / "term.zip", term / "again")
    report = grade(term / "in", term / "again", small_course)
    assert report.executed == ["cleo"], "and nobody else"
    assert report.students["cleo"].exercises["double"].score == 5
    assert not any("on record" in flag for s in report.students.values() for flag in s.flags)


def test_a_gradebook_on_a_server_is_said_to_be_elsewhere(term):
    with Ledger(term / "out" / LEDGER) as ledger:
        ledger.note("database", "postgresql+psycopg://grader:***@localhost/course")
    code, output = run("backup", term / "out", term / "term.zip")
    assert code == 0 and "pg_dump" in output and "localhost/course" in output
    code, output = run("restore", term / "term.zip", term / "again")
    assert code == 0 and "restore that database" in output
    code, output = run("forget", "ada", "--into", term / "out", "--yes")
    assert code == 2 and "--db" in output


def test_what_cannot_be_backed_up_is_said(term):
    assert "no ledger.db" in run("backup", term / "in", term / "x.zip")[1]
    assert "elsewhere" in run("backup", term / "out", term / "out" / "x.zip")[1]
    assert "no such file" in run("restore", term / "x.zip", term / "y")[1]
    backup(term / "out", term / "x.zip")
    assert (
        "no work as handed in"
        in run("restore", term / "x.zip", term / "y", "--submitted", term / "z")[1]
    )
    os.symlink("/etc/hostname", term / "out" / "link")
    assert "out/link" not in run("backup", term / "out", term / "z.zip")[1].split("left out")[0]
    with zipfile.ZipFile(term / "z.zip") as file:
        assert "graded/link" not in file.namelist()


# -- another version -------------------------------------------------------------------------------


def as_the_version_before_wrote_it(term):
    """Change the records of a graded class into those of the version before."""
    with sqlite3.connect(term / "out" / LEDGER) as database:
        database.execute("PRAGMA user_version = 0")  # it had none
        rows = database.execute("SELECT student, record FROM submission").fetchall()
        for student, text in rows:
            record = json.loads(text)
            for new in ("left_out", "late", "seconds"):
                record.pop(new, None)
            database.execute(
                "UPDATE submission SET record = ? WHERE student = ?", (json.dumps(record), student)
            )
    with sqlite3.connect(term / "out" / rubric.FILE) as database:
        database.execute("DROP TABLE deleted")  # no item could be deleted


def test_records_of_the_version_before_are_read(term, small_course, monkeypatch):
    before = grade(term / "in", term / "out", small_course)
    as_the_version_before_wrote_it(term)
    monkeypatch.setattr(engine, "judge_all", None)
    report = grade(term / "in", term / "out", small_course)
    assert report.executed == []
    assert {n: s.score for n, s in report.students.items()} == {
        n: s.score for n, s in before.students.items()
    }
    with sqlite3.connect(term / "out" / LEDGER) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
    with open_desk(NAME, term / "out", "mia", course=small_course) as desk:
        assert [request.student for request in desk.requests()] == ["ada", "adam"]
        (question,) = desk.questions.values()
        (item,) = desk.items(question)
        desk.delete(question, item.number, 0)
        assert desk.items(question)[0].deleted == "mia"


def marks(folder):
    """Who has a record in a folder's ledger, and for which problem set."""
    with sqlite3.connect(folder / LEDGER) as database:
        rows = database.execute("SELECT problem_set, student, state FROM submission").fetchall()
    assert rows
    return sorted(rows)


def test_the_command_upgrades_them_after_a_backup(term, small_course, monkeypatch):
    before = grade(term / "in", term / "out", small_course)
    as_the_version_before_wrote_it(term)
    code, output = run("upgrade", term / "out", term / "before.zip")
    assert code == 0, output
    assert f"{LEDGER}: format 0 is now {VERSION}." in output
    assert f"{rubric.FILE}: has a table deleted now." in output
    restore(term / "before.zip", term / "kept")
    assert marks(term / "kept") == marks(term / "out")
    assert "of this version already" in run("upgrade", term / "out", term / "again.zip")[1]
    monkeypatch.setattr(engine, "judge_all", None)
    report = grade(term / "in", term / "out", small_course)
    assert report.executed == []
    assert [s.score for s in report.students.values()] == [
        s.score for s in before.students.values()
    ]


def test_what_cannot_be_upgraded_is_left_alone(term):
    assert "has no ledger.db" in run("upgrade", term / "in", term / "no.zip")[1]
    with sqlite3.connect(term / "out" / "gradebook.db") as database:
        database.execute("UPDATE alembic_version SET version_num = 'of-before'")
    as_the_version_before_wrote_it(term)
    before = contents(term / "out")
    code, output = run("upgrade", term / "out", term / "x.zip")
    assert code and "nbgrader db upgrade" in output
    assert contents(term / "out") == before


def test_a_ledger_of_a_newer_version_is_refused_and_left_alone(term, small_course):
    with sqlite3.connect(term / "out" / LEDGER) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = contents(term / "out")
    with pytest.raises(GradingFailed, match="written by a newer version"):
        grade(term / "in", term / "out", small_course)
    assert "newer version" in run("backup", term / "out", term / "x.zip")[1]
    assert contents(term / "out") == before


# -- forgetting ------------------------------------------------------------------------------------


def traces(folder, name):
    """The files that hold a name as a word of its own, in any place."""
    files = []
    for path in sorted(folder.rglob("*")):
        text = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".db":
            with sqlite3.connect(path) as database:
                text = "\n".join(database.iterdump()).encode()
        words = {word.strip(b"'\"`,.:;()[]{}<>\x00/") for word in text.split()}
        words |= set(text.replace(b",", b" ").replace(b'"', b" ").replace(b"\x00", b" ").split())
        if name.encode() in words or name in path.relative_to(folder).parts:
            files.append(path.relative_to(folder).as_posix())
    return files


def test_what_is_held_about_a_learner_is_deleted_and_the_rest_stays(term, small_course):
    out = term / "out"
    assert len(traces(out, "ada")) > 5 and len(traces(term / "in", "ada")) > 3
    others = {n: b for n, b in contents(out).items() if n.split("/")[1:2] == ["adam"]}
    code, output = run("forget", "ada", "--into", out, "--submitted", term / "in", "--yes")
    assert code == 0 and "Deleted of 1 learner: ada" in output, output
    for deleted in (
        "gradebook",
        LEDGER,
        "roster.csv",
        "receipts.csv",
        "marks.jsonl",
        "report.json",
    ):
        assert deleted in output, deleted
    assert "class.toml still names them: look at line 1." in output, "a comment is the instructor's"
    assert traces(out, "ada") == [] and traces(term / "in", "ada") == ["class.toml"]
    assert {n: b for n, b in contents(out).items() if n.split("/")[1:2] == ["adam"]} == others
    assert (out / "grading.log").read_text() == "INFO adam was judged\n"

    rules = (term / "in" / "class.toml").read_text()
    assert "ada =" not in rules and 'adam = "2 days"' in rules
    report = grade(term / "in", out, small_course)
    assert report.executed == [] and sorted(report.students) == sorted(set(CLASS) - {"ada"})
    assert report.students["bob"].tests["explain--written"].score == 2
    assert report.students["bob"].by_hand["explain--written"] != "not recorded"


def test_exports_name_learners_as_a_platform_does_and_go_as_a_whole(term):
    out = term / "out"
    exports = [out / f"{NAME}-canvas.csv", out / f"{NAME}-feedback-moodle.zip"]
    for path in exports:
        path.write_text('"Lovelace, Ada",509,S9,4\n')
    code, output = run("forget", "bob", "--into", out, "--yes")
    assert code == 0 and "2 exports of the class" in output, output
    assert not any(path.exists() for path in exports)


def test_the_class_stays_as_numbers_without_names(term):
    code, output = run("forget", "--everyone", "--into", term / "out", "--yes")
    assert code == 0 and "statistics.json" in output, output
    text = (term / "out" / "statistics.json").read_text()
    assert not any(name in text for name in CLASS)
    statistics = json.loads(text)[NAME]
    assert (
        statistics["learners"] == len(CLASS)
        and statistics["tests"]["double--values"]["passed"] == 1
    )
    assert statistics["tests"]["double--hidden"]["mean"] == 3
    assert "explain--written" not in statistics["tests"], "two marks would tell about two learners"
    for name in CLASS:
        assert traces(term / "out", name) == []
    assert (term / "out" / "source" / NAME).is_dir(), "the course's own files stay"


def test_everyone_but_one(term):
    code, output = run("forget", "--all-but", "bob", "--into", term / "out", "--yes")
    assert code == 0, output
    assert traces(term / "out", "ada") == [] and len(traces(term / "out", "bob")) > 5
    with book_of(term / "out") as book:
        assert [student.id for student in book.students] == ["bob"]


def test_nothing_is_deleted_before_someone_says_yes(term, small_course):
    before = contents(term / "out")
    code, output = run("forget", "ada", "--into", term / "out", input="n\n")
    assert code == 2 and "To be deleted of 1 learner: ada" in output and "--yes" in output
    assert "gradebook" in output, "it says what"
    for wrong in (["nobody"], [], ["ada", "--everyone"], ["--all-but", "nobody"]):
        assert run("forget", *wrong, "--into", term / "out", "--yes")[0] == 2
    with FileLock(term / "out" / ".lock"):
        assert run("forget", "ada", "--into", term / "out", "--yes")[0] == 2
    assert contents(term / "out") == before
