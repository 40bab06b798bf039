"""A course about something else, with neither this course's packages nor PyTorch and NumPy.

It lies in ``courses/sorting`` and is released, checked and graded by the judge's own commands, in
processes in which this course is not installed.
"""

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from command_line import COURSES, alone, run_outside

from nbjudge import sandbox
from nbjudge.answers import load_variants
from nbjudge.intake import cells
from nbjudge.variants import fill

NAME = "ps01-sorting"

KNOWN = load_variants(COURSES / "sorting" / "solutions" / NAME)
RIGHT = {exercise: [v.source for v in every if v.right] for exercise, every in KNOWN.items()}
WRONG = {v.name: v for every in KNOWN.values() for v in every if not v.right}

pytestmark = pytest.mark.thorough("use of another course")

#: Learner → answers by exercise.
CLASS = {
    **{f"right-{n}": {exercise: RIGHT[exercise][n] for exercise in RIGHT} for n in (0, 1)},
    **{
        name: {**{p: RIGHT[p][0] for p in RIGHT}, variant.exercise: variant.source}
        for name, variant in WRONG.items()
    },
    "drawn": {**{p: RIGHT[p][0] for p in RIGHT}, "insertion-sort": "insertion_sort = list"},
    "looks": {
        **{p: RIGHT[p][0] for p in RIGHT},
        "merge": "import sys\nprint([m for m in ('numpy', 'torch') if m in sys.modules])\n"
        + RIGHT["merge"][0],
    },
    "blank": {},
}


def nbjudge(course, *arguments):
    """Run one of the judge's commands where this course is not installed."""
    return run_outside(course, "nbjudge", *arguments, **alone(course))


def with_a_look(path):
    """The notebook, in which a test sees to it that the process it runs in has neither library."""
    notebook = nbformat.read(path, as_version=4)
    test = next(cell for cell in notebook.cells if cells.grade_id(cell) == "merge--empty")
    test.source += "\nimport sys\nassert not {'numpy', 'torch'} & sys.modules.keys(), 'loaded'"
    return nbformat.writes(notebook)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course, released, with a class that has handed in and was graded."""
    folder = tmp_path_factory.mktemp("sorting") / "course"
    shutil.copytree(COURSES / "sorting", folder, ignore=shutil.ignore_patterns("*.py[co]", "__py*"))
    source = folder / "solutions" / NAME / f"{NAME}.ipynb"
    source.write_text(with_a_look(source))
    made = nbjudge(folder, "release")
    assert made.returncode == 0, made.stdout + made.stderr
    assert (folder / "loaded").read_text() == "\n", "a release needs neither library"
    release = folder / "notebooks" / "assignments" / NAME / f"{NAME}.ipynb"
    blank = nbformat.read(release, as_version=4)
    for student, answers in CLASS.items():
        path = folder / "submitted" / student / NAME / release.name
        path.parent.mkdir(parents=True)
        nbformat.write(fill(blank, answers), path)
    graded = nbjudge(
        folder, "grade", NAME, "--submitted", "submitted", "--into", "graded", "--workers", "1",
        "--call-seconds", "1", "--cell-seconds", "5",
        *([] if sandbox.status().works else ["--no-sandbox"]),
    )  # fmt: skip
    assert graded.returncode == 0, graded.stdout + graded.stderr
    report = json.loads((folder / "graded" / "report.json").read_text())
    return SimpleNamespace(folder=folder, release=release, students=report[NAME]["students"])


def lost(course, student):
    """Test → what was told, of those that did not get all their points."""
    tests = course.students[student]["tests"]
    return {n: t["message"] for n, t in tests.items() if t["score"] < t["max_score"]}


def test_the_release_holds_no_answer(course):
    text = course.release.read_text()
    assert "BEGIN" not in text and "zip(numbers" not in text
    assert text.count("NotImplementedError") == len(RIGHT)
    # Beside it lies what wrong answers return, and neither they nor right ones.
    names = {path.name for path in course.release.parent.iterdir()}
    assert names == {course.release.name, f"{NAME}.jsonl"}
    stored = (course.release.parent / f"{NAME}.jsonl").read_bytes()
    assert b"The largest number comes first." in stored and b"def " not in stored


@pytest.mark.parametrize("number", [0, 1])
def test_right_answers_get_all_points(course, number):
    assert lost(course, f"right-{number}") == {}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_loses_its_tests_and_is_told_why(course, name):
    messages = lost(course, name)
    assert set(messages) == set(WRONG[name].loses)
    assert any(re.search(WRONG[name].match, message) for message in messages.values()), messages


def test_what_is_no_known_mistake_is_told_its_result(course):
    messages = lost(course, "drawn")["insertion-sort--values"]
    assert messages.endswith("insertion_sort([3, 1, 2]) is [3, 1, 2], it must be [1, 2, 3].")


def test_nothing_is_given_for_the_release(course):
    tests = course.students["blank"]["tests"]
    assert len(tests) == 6 and not any(test["score"] for test in tests.values())


def test_neither_library_is_loaded(course):
    run = course.folder / "graded" / "autograded" / "looks" / NAME / f"{NAME}.ipynb"
    answer = next(c for c in nbformat.read(run, 4).cells if cells.grade_id(c) == "merge")
    assert answer.outputs[0].text == "[]\n"
    loaded = Path(course.folder, "loaded").read_text().splitlines()
    assert loaded and set(loaded) == {""}


def test_a_learner_checks_their_own(course):
    for student, code in ("right-1", 0), ("wrong-one-after-the-other", 1):
        path = course.folder / "submitted" / student / NAME / course.release.name
        done = nbjudge(course.folder, "check", path)
        assert done.returncode == code, done.stdout + done.stderr
    assert "stand one after the other" in " ".join(done.stdout.split())
