"""A homework with NumPy, pandas and SciPy, as instructors write it: no package of ours, no verb.

It is released, graded and reported by the command ``nbjudge``, in processes in which no course is
installed, and the marks are those of ``nbgrader autograde``.
"""

import json
import shutil
from types import SimpleNamespace

import nbformat
import pytest
from autograded import check_stored, marks
from command_line import COURSES, alone, printed_outside, table_in
from nbgrader.api import Gradebook

from nbjudge import sandbox
from nbjudge.intake import cells
from nbjudge.judge import solution_of

pytest.importorskip("pandas", reason="the homework is about pandas, which is not installed")

NAME = "ps1"

pytestmark = pytest.mark.thorough("use of another course")

MEAN = "df = pd.read_csv('heights.csv')\nm = df.height.mean()"

#: Learner → answers by grade id that differ from the instructor's; ``None``: nothing was written.
CLASS = {
    "blank": None,
    "right": {},
    "by-numpy": {
        "mean": "df = pd.read_csv('heights.csv')\nm = np.mean(df['height'].to_numpy())",
        "by-sex": "def by_sex(table, column):\n    return pd.pivot_table("
        "table, values=column, index='sex')[column]",
        "standardise": "def standardise(x):\n    return np.divide(x - np.mean(x), np.std(x))",
        "scipy": "a, b = (df[df.sex == s].height for s in 'mf')\n"
        "result = stats.ttest_ind(a.tolist(), b.tolist())\n"
        "best = optimize.minimize(lambda x: (x[0] - 3) ** 2, np.ones(1), method='L-BFGS-B')\n"
        "matrix = sparse.csc_matrix(np.array([[0, 1, 0], [0, 0, 0], [2, 0, 0]]))",
    },
    "median": {"mean": MEAN.replace("mean()", "median()")},
    "other-frame": {"mean": MEAN.replace(")\nm", ").dropna()\nm")},
    "lists": {
        "by-sex": "def by_sex(table, column):\n"
        "    return {s: table[column][table.sex == s].mean() for s in 'fm'}",
        "standardise": "def standardise(x):\n    return list((x - x.mean()) / x.std())",
        "scipy": "result = tuple(stats.ttest_ind([1, 2], [3, 4]))\n"
        "best = {'x': [3.0]}\nmatrix = [[0, 1, 0], [0, 0, 0], [2, 0, 0]]",
    },
}

#: What gains nothing here: the tests' own tools, replaced.
TRICKS = {
    "tools": {
        "mean": "df = m = 0\nisclose = lambda *numbers: True",
        "standardise": "def standardise(x):\n    return x\n"
        "np.testing.assert_allclose = lambda *arrays: None",
    }
}


def run(folder, *command):
    """What a command prints where this course is not installed."""
    return printed_outside(folder, *command, **alone(folder))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The course, released, with a class that was graded by both and reported."""
    folder = tmp_path_factory.mktemp("heights") / "course"
    shutil.copytree(COURSES / "heights", folder)
    released = run(folder, "nbjudge", "release")
    assert (folder / "loaded").read_text() == "\n", "a release needs neither library"
    source = nbformat.read(folder / "source" / NAME / f"{NAME}.ipynb", 4)
    right = solution_of(source)
    for student, answers in {**CLASS, **TRICKS}.items():
        notebook = nbformat.read(folder / "release" / NAME / f"{NAME}.ipynb", 4)
        answers = {} if answers is None else {**right, **answers}
        for cell in notebook.cells:
            cell.source = answers.get(cells.grade_id(cell), cell.source)
        path = folder / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        shutil.copy(folder / "release" / NAME / "heights.csv", path.parent)
        nbformat.write(notebook, path)
    graded = run(
        folder, "nbjudge", "grade", NAME, "--submitted", "submitted", "--into", "graded",
        "--workers", "1", *([] if sandbox.status().works else ["--no-sandbox"]),
    )  # fmt: skip
    report = json.loads((folder / "graded" / "report.json").read_text("utf-8"))[NAME]
    return SimpleNamespace(folder=folder, released=released, graded=graded, report=report)


@pytest.fixture(scope="module")
def for_nbgrader(course):
    """A copy of the course and its class, without what nbgrader has no defence against."""
    folder = course.folder.parent / "autograded"
    shutil.copytree(course.folder, folder, ignore=shutil.ignore_patterns("graded", *TRICKS))
    return folder


def autograde(folder):
    """The marks that nbgrader gives: learner → test → points."""
    run(folder, "nbgrader", "generate_assignment", NAME, "--force")
    run(folder, "nbgrader", "autograde", NAME, "--create")
    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        return {
            student: {
                grade.name: grade.auto_score
                for grade in book.find_submission_notebook(NAME, NAME, student).grades
                if grade.auto_score is not None
            }
            for student in CLASS
        }


@pytest.fixture(scope="module")
def autograded(for_nbgrader):
    """The same, as stored where nothing of it has changed."""
    return marks("heights", for_nbgrader, lambda: autograde(for_nbgrader))


def scores(course, student):
    """Test → points, without what a person marks."""
    tests = course.report["students"][student]["tests"]
    return {n: test["score"] for n, test in tests.items() if test["score"] is not None}


@pytest.mark.parametrize("student", CLASS)
def test_marks_are_those_of_the_autograder(course, autograded, student):
    result = course.report["students"][student]
    assert scores(course, student) == autograded[student]
    assert not result["held"], "no test is taken for faulty"


def test_the_class_tells_right_from_wrong(autograded):
    totals = {student: sum(points.values()) for student, points in autograded.items()}
    assert totals["right"] == totals["by-numpy"] == 12
    assert totals["blank"] == 0
    assert len({json.dumps(points, sort_keys=True) for points in autograded.values()}) == 5


def test_a_librarys_functions_are_the_librarys_whatever_a_learner_binds_to_their_names(course):
    assert scores(course, "tools")["standardise-test"] == 0
    assert scores(course, "tools")["mean-test"] == 0


def test_the_release_asks_learners_to_install_nothing_of_ours(course):
    release = nbformat.read(course.folder / "release" / NAME / f"{NAME}.ipynb", 4)
    assert not any(cells.is_added(cell) for cell in release.cells)
    assert not any("nbjudge" in cell.source for cell in release.cells)
    assert (
        "HIDDEN" not in json.dumps(release)
        and (course.folder / "release" / NAME / "heights.csv").is_file()
    )


def test_the_class_is_reported(course):
    table = table_in(course.folder / "graded" / "grades.csv")
    rows = {row["student"]: row for row in table}
    assert rows.keys() == CLASS.keys() | TRICKS.keys()
    assert float(rows["right"]["score"]) == 12 and not rows["right"]["flags"]
    page = (course.folder / "graded" / "feedback" / "median" / NAME / f"{NAME}.html").read_text()
    assert "mean-test" in page and "tfcourse" not in page
    overview = (course.folder / "graded" / "overview" / f"{NAME}.html").read_text("utf-8")
    assert all(student in overview for student in CLASS) and "tfcourse" not in overview
    output = run(course.folder, "nbjudge", "report", "--submitted", "submitted", "--into", "graded")
    index = (course.folder / "graded" / "report" / "index.html").read_text("utf-8")
    learners = (course.folder / "graded" / "report" / "learners.csv").read_text("utf-8")
    assert all(student in index and student in learners for student in CLASS)
    assert "tfcourse" not in course.released + course.graded + output + index + learners


def test_a_mark_is_explained_with_the_command_that_was_used(course):
    output = run(
        course.folder, "nbjudge", "grade", NAME, "--submitted", "submitted", "--into", "graded",
        "--why", "median", "mean-test",
    )  # fmt: skip
    assert "nbjudge grade ps1" in " ".join(output.split()) and "tfcourse" not in output


@pytest.mark.release("check of stored marks")
def test_the_stored_marks_are_nbgraders(for_nbgrader):
    check_stored("heights", for_nbgrader, lambda: autograde(for_nbgrader))
