"""The autograder for Gradescope, unpacked and run in a folder laid out as theirs.

``setup.sh`` needs a network, so it is read and not run. Nothing here was tried on Gradescope.
"""

import json
import shutil
import subprocess
import sys
import zipfile

import nbformat
import pytest
from command_line import COURSES, printed_outside, run_in_one_line

from nbjudge import sandbox
from nbjudge.answers import load_variants
from nbjudge.gradescope import VISIBILITIES, making
from nbjudge.gradescope.results import IN_FULL, IN_SIGHT, PASSES_SO_FAR
from nbjudge.report.feedback import NOT_FINAL
from nbjudge.variants import fill

SORTING = COURSES / "sorting"
NAME = "ps01-sorting"

KNOWN = load_variants(SORTING / "solutions" / NAME)
RIGHT = {exercise: next(v.source for v in every if v.right) for exercise, every in KNOWN.items()}
(MISTAKE,) = (v for v in KNOWN["is-sorted"] if v.says)

#: The types of what https://gradescope-autograders.readthedocs.io/en/latest/specs/ documents.
TEST = {
    "score": float,
    "max_score": float,
    "status": str,
    "name": str,
    "name_format": str,
    "number": str,
    "output": str,
    "output_format": str,
    "tags": list,
    "visibility": str,
    "extra_data": dict,
}
RESULTS = {
    "score": float,
    "execution_time": int,
    "output": str,
    "output_format": str,
    "visibility": str,
    "stdout_visibility": str,
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}

#: What takes bubblewrap away from a process.
NO_SANDBOX = "from nbjudge.sandbox import jail\njail.bubblewrap = lambda: None\n"

thorough = pytest.mark.thorough("grading of Gradescope submissions")


@pytest.fixture(scope="module")
def autograder(tmp_path_factory):
    """The zip of the course about sorting."""
    course = tmp_path_factory.mktemp("gradescope") / "course"
    shutil.copytree(SORTING, course, ignore=shutil.ignore_patterns("*.py[co]", "__py*"))
    (course / "solutions" / "notes.md").write_text("What to ask in the exam.")
    printed_outside(course, "nbjudge", "release")
    printed = printed_outside(course, "nbjudge", "package", "gradescope", "ps01")
    printed = " ".join(printed.split())
    assert printed.startswith(f"{NAME}-gradescope.zip: ") and "holds the solutions" in printed
    return course / f"{NAME}-gradescope.zip"


@pytest.fixture
def graded(autograder, tmp_path):
    """Grade a submission's files, by name: the content of results.json, and what was printed.

    ``more`` is run when Python starts.
    """
    root = tmp_path / "autograder"

    def grade(files, more=""):
        with zipfile.ZipFile(autograder) as file:
            file.extractall(root / "source")
            mode = file.getinfo("run_autograder").external_attr >> 16
        shutil.copy(root / "source" / "run_autograder", root)
        (root / "run_autograder").chmod(mode)
        (root / "source" / "course" / "sitecustomize.py").write_text(more)
        for folder in ("submission", "results"):
            (root / folder).mkdir()
        (root / "submission_metadata.json").write_text('{"id": 1}')
        for name, content in files.items():
            (root / "submission" / name).write_text(content)
        where = {"AUTOGRADER_ROOT": str(root), "AUTOGRADER_PYTHON": sys.executable}
        printed = " ".join(printed_outside(root, root / "run_autograder", **where).split())
        results = json.loads((root / "results" / "results.json").read_text("utf-8"))
        as_documented(results)
        return results, printed

    return grade


def as_documented(results):
    """Check that a result has nothing but what Gradescope documents."""
    for about, shape in [(results, RESULTS), *((test, TEST) for test in results["tests"])]:
        assert about.keys() <= shape.keys()
        assert all(isinstance(value, shape[name]) for name, value in about.items())
        assert about["visibility"] in VISIBILITIES
    assert results["stdout_visibility"] == "hidden"
    assert results["score"] == sum(test.get("score", 0) for test in results["tests"])
    assert {test["status"] for test in results["tests"]} <= {"passed", "failed"}


@pytest.fixture(scope="module")
def released(autograder):
    """What learners were given."""
    folder = autograder.parent / "notebooks" / "assignments" / NAME
    return nbformat.read(folder / f"{NAME}.ipynb", as_version=4)


def by_name(results):
    return {test["name"]: test for test in results["tests"]}


@thorough
def test_a_right_submission_gets_all_points(graded, released):
    results, printed = graded({f"{NAME}.ipynb": nbformat.writes(fill(released, RIGHT))})
    assert results["score"] == sum(test.get("max_score", 0) for test in results["tests"]) == 12
    assert results["output"] == "" and results["extra_data"]["held"] == []
    tests = by_name(results)
    assert tests["is-sorted--empty"]["visibility"] == "visible"
    seen, whole = (tests[f"is-sorted--values{half}"] for half in (IN_SIGHT, IN_FULL))
    assert seen["visibility"] == "visible" and seen["output"] == PASSES_SO_FAR
    assert whole["visibility"] == "after_published" and whole["score"] == 3
    assert "score" not in seen, "points would tell of the hidden part"
    assert ("This container has no sandbox" in printed) != sandbox.status().works


@thorough
def test_a_mistake_is_named_and_instructors_are_told_of_a_missing_sandbox(graded, released):
    answers = {**RIGHT, "is-sorted": MISTAKE.source}
    results, printed = graded(
        {"sorting.ipynb": nbformat.writes(fill(released, answers))}, NO_SANDBOX
    )
    seen, whole = (by_name(results)[f"is-sorted--values{half}"] for half in (IN_SIGHT, IN_FULL))
    for test in (seen, whole):
        assert test["status"] == "failed" and MISTAKE.says in test["output"]
    assert whole["score"] == 0 and results["score"] < 12
    assert f"Please hand it in as {NAME}.ipynb." in results["output"]
    assert "This container has no sandbox: bubblewrap is not installed" in printed
    assert "sandbox" not in results["output"] and results["extra_data"]["sandbox"].startswith(
        "none"
    )


@thorough
def test_an_empty_release_gets_nothing(graded, released):
    results, _ = graded({f"{NAME}.ipynb": nbformat.writes(released)})
    assert results["score"] == 0 and {test["status"] for test in results["tests"]} == {"failed"}
    assert all("is not written yet" in test["output"] for test in results["tests"])


@thorough
@pytest.mark.parametrize(
    ("files", "held", "output"),
    [
        ({f"{NAME}.ipynb": '{"cells": ['}, True, "its JSON is cut off at line 1, column 12"),
        ({}, False, f"You have not handed in {NAME}.ipynb.\nUpload {NAME}.ipynb."),
    ],
)
def test_what_cannot_be_graded_is_told_what_to_do(graded, files, held, output):
    results, printed = graded(files)
    assert results["tests"] == [] and results["score"] == 0
    assert output in results["output"]
    assert results["output"].startswith(NOT_FINAL) == held == bool(results["extra_data"]["held"])
    assert ("Held, until you have looked" in printed) == held
    assert not held or "Hand in the notebook again" in results["output"]


def test_the_zip_has_what_this_course_needs_and_setup_installs_what_it_pins(
    course, tmp_path, monkeypatch
):
    monkeypatch.setattr(making, "is_current", lambda *_: True)  # takes seconds to find out
    made = making.make_zip("ps05", course, "after_due_date", tmp_path / "a.zip")
    with zipfile.ZipFile(made) as file:
        read = {name: file.read(name).decode() for name in ("setup.sh", "run_autograder")}
        names = set(file.namelist())
        assert all(file.getinfo(name).external_attr >> 16 & 0o100 for name in read)
        pins = "course/requirements.txt"
        assert file.read(pins) == (course / "requirements.txt").read_bytes()
        wrong_set = file.read("course/solutions/ps04-alignment/ps04-alignment.ipynb")
    assert b"BEGIN SOLUTION" not in wrong_set
    assert "course/solutions/ps05-self-attention/scaling.py" in names
    assert "course/nbjudge_tfcourse/wrong_results/ps05-self-attention.jsonl" in names
    assert {f"course/{name}/__init__.py" for name in ("nbjudge", "tfcourse")} <= names
    assert not [name for name in names if "teaching-notes" in name or "/." in name]
    assert not [name for name in names if name.startswith("course/nbjudge/tests/")]
    assert "ps05-self-attention after_due_date" in read["run_autograder"]
    assert "sed '/^-e /d' requirements.txt > \"$pins\"" in read["setup.sh"]
    assert '--constraint "$pins"' in read["setup.sh"]
    assert '--editable "./nbjudge[grade,numpy,torch]"' in read["setup.sh"]
    for text in read.values():
        assert "@" not in text.replace("[@]", "")
        subprocess.run(["bash", "-n"], input=text, text=True, check=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("canvas", "ps05"), "platform is 'canvas', but it must be gradescope."),
        (("gradescope", "ps05", "--hidden", "later"), "must be one of: hidden, after_due_date,"),
        (("gradescope", "ps98"), "problem_set is 'ps98', but it must be one of: ps01"),
        (("gradescope", "ps05"), "run `tfcourse release ps05-self-attention`, then this"),
    ],
)
def test_what_cannot_be_packaged_is_told_in_a_line(monkeypatch, tmp_path, arguments, message):
    monkeypatch.setattr(making, "is_current", lambda *_: False)
    monkeypatch.setenv("COLUMNS", "400")
    code, output = run_in_one_line("package", *arguments, "--into", tmp_path / "a.zip")
    assert code == 2 and message in output
    assert not (tmp_path / "a.zip").exists()
