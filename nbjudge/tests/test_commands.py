"""The commands: their tables, their exit codes, and what they say when something is wrong."""

import json
import shutil
import subprocess
import sys
import zipfile

import pytest
from command_line import run_in_one_line
from nbformat.v4 import new_code_cell
from small_set import (
    NAME,
    SANDBOXED,
    answered,
    cell,
    grade,
    hand_in,
    make_course,
    metadata,
    release_of,
    source_notebook,
)

from nbjudge import sandbox
from nbjudge.desk import assemble
from nbjudge.desk import check as checker
from nbjudge.desk import run as desk_run
from nbjudge.intake import cells
from nbjudge.intake.release import make_release
from nbjudge.run import engine

SANDBOX = "--sandbox" if SANDBOXED else "--no-sandbox"


@pytest.fixture
def run(one_nursery, in_small_course):
    """Run a command as if inside the small course."""

    def call(name, *arguments):
        return run_in_one_line(name, *arguments, *([SANDBOX] if name == "grade" else []))

    return call


def test_grade_shows_the_table_and_where_things_are(run, small_course, tmp_path):
    hand_in(tmp_path / "in", "ada", answered(small_course))
    hand_in(tmp_path / "in", "bob", "{")
    code, text = run("grade", NAME[:4], "--submitted", tmp_path / "in", "--into", tmp_path / "out")
    assert code == 0, text
    assert "student score 1 2 3" in text
    assert "ada 10/13 5 5 – " in text
    assert "bob 0/13 0 0 0 " in text
    assert "1 double (5) 2 sum-squares (5) 3 explain (3) – awaits manual marking" in text
    assert "--accept STUDENT): bob: ps99-small.ipynb is not a notebook" in text
    assert str(tmp_path / "out" / "grades.csv") in text
    assert "1 of 2 notebooks run" in text
    assert str(tmp_path / "out" / "overview" / f"{NAME}.html") in text
    assert ("without a sandbox" in text) != SANDBOXED


@pytest.mark.thorough("grading of small classes")
def test_an_export_says_whom_it_leaves_out(run, small_course, tmp_path):
    hand_in(tmp_path / "in", "ada", answered(small_course))
    hand_in(tmp_path / "in", "bob", answered(small_course, explain="YOUR ANSWER HERE\n"))
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as file:
        for name in ("ada", "bob"):
            path = tmp_path / "in" / name / NAME / f"{NAME}.ipynb"
            file.write(path, f"{name}_1{name == 'bob':d}_2_{NAME}.ipynb")
    command = ("grade", NAME, "--submitted", tmp_path / "in", "--into", tmp_path / "out")
    command += ("--export", "canvas", "--feedback-zip", "canvas", tmp_path / "submissions.zip")
    code, text = run(*command)
    assert code == 0, text
    assert "Left out: 1 whose marks are not complete: ada. Mark them" in text
    table = (tmp_path / "out" / f"{NAME}-canvas.csv").read_text("utf-8")
    assert "bob" in table and "ada" not in table
    assert str(tmp_path / "out" / f"{NAME}-feedback-canvas.zip") in text
    code, text = run(*command, "--provisional")
    assert "The export holds 1 whose marks are not complete: ada." in text
    assert "ada" in (tmp_path / "out" / f"{NAME}-canvas.csv").read_text("utf-8")
    theirs = tmp_path / "gradebook.csv"
    whole = "Student,ID,SIS Login ID,Section,Small (7)\n    Points Possible,,,,13\nB,1,bob,A,\n"
    theirs.write_text(whole)
    options = ("--gradebook", theirs, "--column", 7)
    code, text = run(*command[:-3], *options)
    assert code == 0, text
    assert (tmp_path / "out" / f"{NAME}-canvas.csv").read_text("utf-8") == (
        whole.replace("bob,A,", "bob,A,10")
    )
    assert "exported as their login" not in text


@pytest.mark.thorough("grading of small classes")
def test_without_a_sandbox_it_is_said_wherever_grades_are(one_nursery, small_course, tmp_path):
    hand_in(tmp_path / "in", "ada", answered(small_course))
    out = tmp_path / "out"
    grade(tmp_path / "in", out, small_course, sandboxed=False)
    places = [
        out / "report.json",
        out / "overview" / f"{NAME}.html",
        out / "feedback" / "ada" / NAME / f"{NAME}.html",
    ]
    for place in places:
        assert "without a sandbox" in place.read_text("utf-8"), place
    assert "none" in json.loads(places[0].read_text())[NAME]["students"]["ada"]["sandbox"]


def test_without_a_sandbox_it_refuses_unless_told(small_course, tmp_path, monkeypatch):
    no = sandbox.Status(False, "bubblewrap is not installed: apt-get install bubblewrap", "none")
    monkeypatch.setitem(sandbox.require.__globals__, "status", lambda: no)
    hand_in(tmp_path / "in", "ada", answered(small_course))
    with pytest.raises(sandbox.SandboxError, match="--no-sandbox"):
        engine.grade(NAME, tmp_path / "in", tmp_path / "out", course=small_course)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ps98", "--submitted", "{in}", "--into", "{out}"), f"must be one of: {NAME}"),
        ((NAME, "--submitted", "{in}/none", "--into", "{out}"), "must be a folder that holds"),
        ((NAME, "--submitted", "{in}", "--into", "{in}/x"), "neither may contain the other"),
        ((NAME, "--submitted", "{out}", "--into", "{out}"), "must be a folder that holds"),
        ((NAME, "--submitted", "{empty}", "--into", "{out}"), "contains no student's folder"),
        ((NAME, "--submitted", "{in}", "--into", "{file}"), "must be a folder or not exist yet"),
        (
            (NAME, "--submitted", "{in}", "--into", "{out}", "--again", "eve"),
            "again names 'eve', but there is no such student",
        ),
        (
            (NAME, "--submitted", "{in}", "--into", "{out}", "--cell-seconds", "0"),
            "cell_seconds must be a number above 0, got 0.0",
        ),
        ((NAME, "--submitted", "{in}", "--into", "{out}", "--workers", "-1"), "workers is -1"),
        ((NAME, "--submitted", "{in}", "--into", "{out}", "--export", "excel"), "canvas, moodle"),
        ((NAME, "--submitted", "{in}", "--into", "{out}", "--gradebook", "x"), "with --export"),
        (
            (
                NAME,
                "--submitted",
                "{in}",
                "--into",
                "{out}",
                "--export",
                "canvas",
                "--gradebook",
                "x",
            ),
            "there is no such file",
        ),
        ((NAME, "--submitted", "{in}", "--into", "{out}", "--column", "7"), "only for --export"),
        (
            (NAME, "--submitted", "{in}", "--into", "{out}", "--db", "nowhere"),
            "db must be a database",
        ),
        (
            (NAME, "--submitted", "{in}", "--into", "{out}", "--why", "ada", "double"),
            "nothing has been graded there",
        ),
        ((NAME, "--submitted", "{bad}", "--into", "{out}"), "must have a column called student"),
    ],
)
def test_grade_says_in_a_line_what_to_do(run, tmp_path, arguments, message):
    places = {name: tmp_path / name for name in ("in", "out", "empty", "file", "bad")}
    hand_in(places["in"], "ada", "{")
    places["empty"].mkdir()
    places["file"].touch()
    places["bad"].mkdir()
    (places["bad"] / "roster.csv").write_text("name\nada\n")
    code, text = run("grade", *(argument.format(**places) for argument in arguments))
    assert code == 2
    assert message in text
    assert "Traceback" not in text
    assert not (places["out"] / "gradebook.db").exists()


def test_check_passes_and_says_what_remains(run, small_course, tmp_path):
    path = hand_in(tmp_path, "me", answered(small_course))
    code, text = run("check", path)
    assert code == 0, text
    assert f"{NAME}.ipynb Visible tests: 3 of 3 points. 10 more will be judged" in text
    assert "double passed 2/5 sum-squares passed 1/5 explain by hand –/3 This ran" in text
    assert text.endswith("add --details or, for one exercise, --exercise NAME.")
    code, text = run("check", path, "--details")
    assert "Judged when your work is graded: 3 points (explain)." in text
    assert "2 hidden tests worth 7 points will be run" in text
    assert "does not protect this computer" in text
    assert (
        "1 of these tests has a hidden half that runs when work is graded: sum-squares--values."
        in text
    )


def test_check_fails_with_hints(run, small_course, tmp_path):
    notebook = answered(small_course, double="double = abs")
    notebook.cells.remove(cell(notebook, "sum-squares--values"))
    before = json.dumps(notebook)
    path = hand_in(tmp_path, "me", before)
    code, text = run("check", path)
    assert code == 1
    message = "double failed 0/5 values: double(3) should be 6, but it is 3 sum-squares passed 1/5"
    assert message in text
    assert "Visible tests: 1 of 3 points." in text
    assert "- Your notebook has lost `sum-squares--values`. The problem set's own copy" in text
    assert path.read_text() == before, "the learner's file is theirs"
    message = "double failed 0/5 failed: values (0 of 2 points) double(3) should be 6, but it is 3"
    assert message in run("check", path, "--details")[1]


def test_check_of_what_was_given_out_says_that_nothing_is_answered_yet(small_course, tmp_path):
    path = hand_in(tmp_path, "me", release_of(small_course))
    checked = checker.check(path, course=small_course)
    assert not checked.all_passed
    verdicts = {exercise.name: exercise.verdict for exercise in checked.exercises}
    assert verdicts == {
        "double": checker.NOT_STARTED,
        "sum-squares": checker.NOT_STARTED,
        "explain": checker.NOT_WRITTEN,
    }
    assert not any(test.hint for test in checked.tests if test.verdict == checker.NOT_STARTED)


def test_check_of_one_exercise(run, small_course, tmp_path):
    path = hand_in(tmp_path, "me", answered(small_course, double="double = abs"))
    code, text = run("check", path, "--exercise", "sum")
    assert code == 0 and "double" not in text and "Visible tests: 1 of 1 point." in text
    code, text = run("check", path, "--exercise", "dubble")
    assert code == 2 and "it must be one of: double, sum-squares, explain." in text


@pytest.mark.thorough("grading of small classes")
def test_a_full_check_runs_hidden_tests_where_they_are(run, small_course, tmp_path, monkeypatch):
    answers = {"double": "def double(x):\n    return 6"}
    path = hand_in(tmp_path, "me", answered(small_course, **answers))
    code, text = run("check", path)
    assert code == 0, text
    code, text = run("check", path, "--full")
    assert code == 1
    assert "double partly 2/5" in text and "double is wrong for a large number" in text
    assert "sum-squares passed 5/5" in text and "All tests: 7 of 10 points." in text
    assert "secret_number" not in text
    bare = tmp_path / "bare"
    shutil.copytree(small_course, bare, ignore=shutil.ignore_patterns("solutions"))
    monkeypatch.setenv("TFCOURSE_ROOT", str(bare))
    code, text = run("check", path, "--full")
    assert code == 2 and f"not on this machine: there is no solutions/ps99-small in {bare}" in text
    assert run("check", path)[0] == 0, "the visible tests need no solutions"


@pytest.mark.thorough("grading of small classes")
@pytest.mark.skipif(not SANDBOXED, reason="there is no sandbox here")
def test_a_check_in_the_sandbox_says_the_same(small_course, tmp_path):
    wrong = "def sum_squares(numbers):\n    return sum(numbers)"
    path = hand_in(tmp_path, "me", answered(small_course, sum_squares=wrong))
    plain = checker.check(path, course=small_course, full=True)
    inside = checker.check(path, course=small_course, full=True, sandboxed=True)
    assert plain.tests == inside.tests
    assert inside.sandboxed and not plain.sandboxed


def test_a_folder_stands_for_the_notebook_in_it(run, small_course, tmp_path):
    path = hand_in(tmp_path, "me", answered(small_course))
    assert run("check", path.parent) == run("check", path)
    (tmp_path / "none").mkdir()
    code, text = run("check", tmp_path / "none")
    assert code == 2 and "is a folder without a notebook" in text
    several = tmp_path / "several of them"
    several.mkdir()
    for name in ("a", "b"):
        shutil.copy(path, several / f"{name}.ipynb")
    code, text = run("check", several)
    assert code == 2 and f'tfcourse check "{several / "b.ipynb"}"' in text


def test_a_wrong_name_is_asked_about_before_anything_is_loaded(
    run, small_course, tmp_path, monkeypatch
):
    path = hand_in(tmp_path / "assignments", "", answered(small_course))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(desk_run, "Desk", None)
    folder = f"assignments/{NAME}"
    for typed, meant in {
        "ps99": folder,
        "ps099": folder,
        "ps99-smal": folder,
        "asignments/ps99-small": folder,
        "assignments/ps99-smal": folder,
        f"assignments/ps99-smal/{NAME}.ipynb": f"{folder}/{NAME}.ipynb",
        path.with_name("ps99-smll.ipynb"): path,
    }.items():
        assert run("check", typed) == (2, f"There is no {typed}. Did you mean {meant}?")
    assert run("check", "x") == (2, "There is no x.")


def test_a_lesson_is_no_problem_set_though_a_cell_has_the_same_name(small_course):
    released = release_of(small_course).cells
    lesson = [one for one in released if not cells.is_graded(one)]
    assert assemble.release_for(lesson, small_course) is None
    assert assemble.release_for(released, small_course) is not None


def test_cells_that_lost_their_metadata_are_known_by_id_or_by_text(run, small_course, tmp_path):
    notebook = answered(small_course, double="double = abs")
    for one in notebook.cells:
        one.metadata.pop("nbgrader", None)
    path = hand_in(tmp_path, "me", notebook)
    code, text = run("check", path)
    assert code == 1 and "double(3) should be 6, but it is 3" in text
    for number, one in enumerate(notebook.cells):
        one.id = f"new-{number}"
    code, text = run("check", hand_in(tmp_path, "you", notebook))
    assert code == 1 and "double(3) should be 6, but it is 3" in text
    assert "- Your notebook has lost the names of its cells" in text
    assert "- Your answer `double` (`double`) was found in cell" in text


def test_another_kernel_is_said(run, small_course, tmp_path):
    notebook = answered(small_course)
    notebook.metadata.kernelspec = {"name": "ir", "display_name": "R", "language": "R"}
    code, text = run("check", hand_in(tmp_path, "me", notebook))
    assert code == 0 and "set to the kernel 'ir'" in text and "Change Kernel" in text


def test_what_a_check_needs_is_said_if_it_is_missing(small_course, tmp_path, monkeypatch):
    path = hand_in(tmp_path, "me", answered(small_course))
    monkeypatch.setattr(desk_run, "PROGRAM", ("-c", "import no_such_package"))
    with pytest.raises(desk_run.CannotRun, match="No module named 'no_such_package'.*\n.*pip"):
        checker.check(path, course=small_course)


CHOICES = """\
# Whether it is right comes with the grade.
answered(answers, ["a", "b"])
### BEGIN HIDDEN TESTS
choices(answers, {"a": True, "b": True}, {"a": "Since a.", "b": "Since b."}, points=4)
### END HIDDEN TESTS
"""


def test_check_claims_nothing_of_what_is_judged_later(run, tmp_path, monkeypatch):
    notebook = source_notebook()
    setup = cell(notebook, "setup")
    setup.source = setup.source.replace("import Mistake", "import Mistake, answered, choices")
    piece = 'answers = {"a": None, "b": None}\n### BEGIN SOLUTION\nanswers["a"] = True'
    test = {"grade": True, "locked": True, "points": 4}
    notebook.cells += [
        new_code_cell(f"{piece}\n### END SOLUTION", metadata=metadata("choices", solution=True)),
        new_code_cell(CHOICES.strip(), metadata=metadata("choices--answers", **test)),
    ]
    course = make_course(tmp_path / "course", notebook)
    make_release(NAME, course)
    monkeypatch.setenv("TFCOURSE_ROOT", str(course))
    one_wrong = {"choices": 'answers = {"a": True, "b": False}', "explain": "YOUR ANSWER HERE\n"}
    code, text = run("check", hand_in(tmp_path, "me", answered(course, **one_wrong)))
    assert code == 0, text
    assert "choices answered –/4 " in text and "explain not written yet –/3" in text
    one_missing = {"choices": 'answers = {"a": True, "b": None}'}
    path = hand_in(tmp_path, "me", answered(course, **one_missing))
    code, text = run("check", path)
    assert code == 1, text
    assert "choices 1 of 2 –/4 answers: 1 of 2 answered; not yet: b." in text
    text = run("check", path, "--details")[1]
    assert "choices 1 of 2 –/4 partly: answers (4 points) 1 of 2 answered; not yet: b." in text
    assert "Judged when your work is graded: 7 points (explain, choices)." in text
    assert "explain by hand –/3" in text


def test_nothing_else_is_logged_beside_the_table():
    program = "import logging, nbjudge.report.pages; print(logging.getLogger().handlers)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done


def test_check_works_away_from_the_course(run, small_course, tmp_path, monkeypatch):
    def nowhere(*_):
        raise FileNotFoundError("No course found")

    monkeypatch.setattr(assemble, "root", nowhere)
    path = hand_in(tmp_path, "me", answered(small_course, double="double = abs"))
    code, text = run("check", path)
    assert code == 1
    assert "double(3) should be 6, but it is 3" in text
    assert "the tests in the notebook itself were run" in text
    text = run("check", path, "--details")[1]
    assert "2 hidden tests worth 7 points" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "There is no"), ("{", "cut off"), ('{"cells": []}', "it holds no tests")],
)
def test_check_of_something_else_says_so(run, tmp_path, content, message):
    path = tmp_path / "x.ipynb"
    if content is not None:
        path.write_text(content)
    code, text = run("check", path)
    assert code == 2
    assert message in text


def test_release_says_what_it_did(run, small_course):
    path = f"notebooks/assignments/{NAME}/{NAME}.ipynb"
    assert run("release") == (0, f"{path}: was up to date")
    weights, old = f"solutions/{NAME}/accepts.json", f"notebooks/assignments/{NAME}/old.csv"
    (small_course / weights).unlink()
    (small_course / old).write_text("1")
    assert run("release") == (0, f"{weights}: written {old}: removed")
    code, text = run("release", "ps98")
    assert (code, f"must be one of: {NAME}" in text) == (2, True)
