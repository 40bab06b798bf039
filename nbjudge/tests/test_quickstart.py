"""What ``nbgrader quickstart`` makes is graded as it comes, with the marks of its autograder.

Its tests are plain Python: they call what the learner wrote, catch what it raises, delete one of
the learner's functions and bind it again.
"""

import json
import shutil

import nbformat
import pytest
from autograded import check_stored, marks
from command_line import printed_outside
from nbgrader.api import Gradebook

from nbjudge.intake import cells
from nbjudge.judge import solution_of

pytestmark = pytest.mark.thorough("use of another course")

#: The notebooks of its only problem set.
NOTEBOOKS = ("problem1.ipynb", "problem2.ipynb")

SQUARES = "def squares(n):\n"
SUM = "def sum_of_squares(n):\n"

#: Learner → answers by grade id; what is left out is as it was given out.
CLASS = {
    "release": {},
    "solution": None,
    "another-way": {
        "squares": SQUARES + "    if n < 1:\n        raise ValueError('n')\n    found = []\n"
        "    for i in range(n):\n        found.append((i + 1) * (i + 1))\n    return found",
        "sum_of_squares": SUM + "    total = 0\n    for square in squares(n):\n"
        "        total += square\n    return total",
    },
    "one-too-few": {
        "squares": SQUARES + "    if n < 1:\n        raise ValueError\n"
        "    return [i**2 for i in range(1, n)]",
        "sum_of_squares": SUM + "    return sum(squares(n))",
    },
    "accepts-all": {
        "squares": SQUARES + "    return [i**2 for i in range(1, n + 1)]",
        "sum_of_squares": SUM + "    return sum(squares(n))",
    },
    "another-error": {
        "squares": SQUARES + "    if n < 1:\n        raise TypeError('n')\n"
        "    return [i**2 for i in range(1, n + 1)]",
        "sum_of_squares": SUM + "    return sum(squares(n))",
    },
    "error-of-its-own": {
        "squares": "class TooSmall(ValueError):\n    pass\n\n"
        + SQUARES
        + "    if n < 1:\n        raise TooSmall(n, 'is too small')\n"
        "    return [i**2 for i in range(1, n + 1)]",
        "sum_of_squares": SUM + "    return sum(squares(n))",
    },
    "writes-it-again": {
        "squares": SQUARES + "    assert n >= 1\n    return [i**2 for i in range(1, n + 1)]",
        "sum_of_squares": SUM + "    return sum(i**2 for i in range(1, n + 1))",
    },
    "prints": {
        "squares": SQUARES + "    print([i**2 for i in range(1, n + 1)])",
        "sum_of_squares": SUM + "    print(sum(i**2 for i in range(1, n + 1)))",
    },
    "a-tuple": {
        "squares": SQUARES + "    if n < 1:\n        raise ValueError\n"
        "    return tuple(i**2 for i in range(1, n + 1))",
        "sum_of_squares": SUM + "    return float(sum(squares(n)))",
    },
    "another-name": {
        "squares": "def square(n):\n    return [i**2 for i in range(1, n + 1)]",
        "sum_of_squares": "def sum_squares(n):\n    return sum(square(n))",
    },
    "no-python": {
        "squares": "def squares(n)\n    return",
        "sum_of_squares": SUM + "    return n * (n + 1) * (2 * n + 1) // 6",
    },
}


def nbgrader(folder, *arguments):
    """Run a command of nbgrader's in a folder."""
    printed_outside(folder, "nbgrader", *arguments)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course, released by nbgrader, with a class that has handed in."""
    folder = tmp_path_factory.mktemp("quickstart")
    nbgrader(folder, "quickstart", "course101")
    course = folder / "course101"
    nbgrader(course, "generate_assignment", "ps1")
    for name in NOTEBOOKS:
        source = nbformat.read(course / "source" / "ps1" / name, 4)
        for student, answers in CLASS.items():
            answers = solution_of(source) if answers is None else answers
            notebook = nbformat.read(course / "release" / "ps1" / name, 4)
            for cell in notebook.cells:
                cell.source = answers.get(cells.grade_id(cell), cell.source)
            path = course / "submitted" / student / "ps1" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, path)
    return course


def autograde(course):
    """The marks that nbgrader gives: learner → test → points."""
    nbgrader(course, "autograde", "ps1")
    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        return {
            student: {
                grade.name: grade.auto_score
                for notebook in book.find_submission("ps1", student).notebooks
                for grade in notebook.grades
                if grade.auto_score is not None
            }
            for student in CLASS
        }


@pytest.fixture(scope="module")
def autograded(course):
    """The same, as stored where nothing of it has changed."""
    return marks("quickstart", course, lambda: autograde(course))


def grade(course, into):
    """Grade by the command, from inside the course."""
    printed_outside(
        course, "nbjudge", "grade", "ps1", "--submitted", course / "submitted", "--into", into,
        "--workers", "1", "--call-seconds", "5", "--cell-seconds", "10",
    )  # fmt: skip
    return json.loads((into / "report.json").read_text("utf-8"))["ps1"]


@pytest.fixture(scope="module")
def graded(course, tmp_path_factory):
    """The folder that the class was graded in, and the report on it."""
    into = tmp_path_factory.mktemp("graded") / "out"
    return into, grade(course, into)


@pytest.mark.parametrize("student", CLASS)
def test_marks_are_those_of_the_autograder(graded, autograded, student):
    result = graded[1]["students"][student]
    assert not [flag for flag in result["flags"] if "is itself faulty" in flag]
    ours = {name: test["score"] for name, test in result["tests"].items()}
    assert len(ours) == 8, "of both notebooks"
    assert {name: score for name, score in ours.items() if score is not None} == autograded[student]


def test_each_notebook_has_its_page_and_its_place_in_the_gradebook(graded, autograded):
    into = graded[0]
    for student, points in autograded.items():
        for name in NOTEBOOKS:
            assert (into / "autograded" / student / "ps1" / name).is_file()
            page = into / "feedback" / student / "ps1" / name.replace(".ipynb", ".html")
            assert "<h1" in page.read_text("utf-8")
        with Gradebook(f"sqlite:///{into}/gradebook.db", "course101") as book:
            notebooks = book.find_submission("ps1", student).notebooks
            assert {f"{notebook.name}.ipynb" for notebook in notebooks} == set(NOTEBOOKS)
            grades = [grade for notebook in notebooks for grade in notebook.grades]
            assert {g.name: g.auto_score for g in grades if g.auto_score is not None} == points


def test_what_was_graded_is_not_run_again_until_one_of_its_notebooks_changes(
    course, graded, tmp_path
):
    into = tmp_path / "out"
    shutil.copytree(graded[0], into)
    again = grade(course, into)
    assert again["executed"] == []
    changed = tmp_path / "submitted"
    shutil.copytree(course / "submitted", changed)
    (changed / "prints" / "ps1" / NOTEBOOKS[1]).unlink()
    here = tmp_path / "course"
    shutil.copytree(course, here, ignore=shutil.ignore_patterns("submitted", "autograded"))
    shutil.move(changed, here / "submitted")
    report = grade(here, into)
    assert report["executed"] == []
    flags = report["students"]["prints"]["flags"]
    assert any(NOTEBOOKS[1].removesuffix(".ipynb") in flag for flag in flags), flags


def test_the_class_tells_right_from_wrong(autograded):
    totals = {student: sum(points.values()) for student, points in autograded.items()}
    assert totals["solution"] == totals["another-way"] == 3
    assert totals["release"] == 0
    assert len({json.dumps(points, sort_keys=True) for points in autograded.values()}) >= 6


@pytest.mark.release("check of stored marks")
def test_the_stored_marks_are_nbgraders(course):
    check_stored("quickstart", course, lambda: autograde(course))
