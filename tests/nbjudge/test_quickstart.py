"""What ``nbgrader quickstart`` makes is graded as it comes, with the marks of its autograder.

Its tests are plain Python: they call what the learner wrote, catch what it raises, delete one of
the learner's functions and bind it again.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from judged_set import nursery
from nbgrader.api import Gradebook

from nbjudge import cells
from nbjudge.folder import read_ours
from nbjudge.intake import parse
from nbjudge.judge import Job, judge, names_of, solution_of
from nbjudge.merge import blank, merge
from nbjudge.sandbox import Limits

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
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        env={**os.environ, "PATH": path}, cwd=folder, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


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


@pytest.fixture(scope="module")
def autograded(course):
    """The marks that nbgrader gives: learner → test → points."""
    nbgrader(course, "autograde", "ps1")
    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        return {
            student: {
                grade.name: grade.auto_score
                for notebook in book.find_submission("ps1", student).notebooks
                for grade in notebook.grades
                if grade.cell.cell_type == "code" and grade.auto_score is not None
            }
            for student in CLASS
        }


def marks(course, student, name):
    """What the judge makes of a notebook, from the course's own files."""
    source = read_ours(course / "source" / "ps1" / name)
    release = read_ours(course / "release" / "ps1" / name)
    handed = (course / "submitted" / student / "ps1" / name).read_bytes()
    notebook, _ = merge(parse(handed).cells, blank(source, release), release)
    judged = judge(
        Job(
            student,
            nbformat.writes(notebook).encode(),
            seed=1,
            limits=Limits(call_seconds=5, cell_seconds=10),
            names=names_of(source),
            solution=solution_of(source),
        ),
        nursery(),
    )
    assert not [flag for flag in judged.flags if "cannot be run as it is" in flag]
    return {name: test["score"] for name, test in judged.tests.items()}


@pytest.mark.parametrize("student", CLASS)
def test_marks_are_those_of_the_autograder(course, autograded, student):
    ours = [marks(course, student, name) for name in NOTEBOOKS]
    assert [len(tests) for tests in ours] == [4, 0], "the other one is marked by hand"
    assert ours[0] == {name: autograded[student][name] for name in ours[0]}


def test_the_class_tells_right_from_wrong(autograded):
    totals = {student: sum(points.values()) for student, points in autograded.items()}
    assert totals["solution"] == totals["another-way"] == 3
    assert totals["release"] == 0
    assert len({json.dumps(points, sort_keys=True) for points in autograded.values()}) >= 6
