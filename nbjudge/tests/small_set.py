"""A problem set of three exercises that needs next to nothing, and a course that holds it."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
from made_course import TEST, cell, code, metadata, notebook_of, put_into, release_in
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import Gradebook

from nbjudge import sandbox
from nbjudge.intake import cells
from nbjudge.judge import Limits
from nbjudge.marking.record import record_marks
from nbjudge.run import engine
from nbjudge.store.results import Report

NAME = "ps99-small"

#: Where there is no sandbox the rest of the grader is tested all the same.
SANDBOXED = sandbox.status().works
#: In nbgrader's gradebook and exchange.
COURSE_ID = "small-course"

SETUP = """\
import random

from nbjudge.testing import Mistake, call, fresh
"""

DOUBLE = """\
def double(x):
    ### BEGIN SOLUTION
    return 2 * x  # the instructor's way
    ### END SOLUTION
"""

DOUBLE_VALUES = """\
found = call(double, 3)
if found != 6:
    raise Mistake(f"double(3) should be 6, but it is {found}")
"""

DOUBLE_HIDDEN = """\
# The same for numbers drawn when the work is graded.
### BEGIN HIDDEN TESTS
secret_number = random.Random(fresh("double--hidden").initial_seed()).randint(100, 10**6)
if call(double, secret_number) != 2 * secret_number:
    raise Mistake("double is wrong for a large number")
### END HIDDEN TESTS
"""

SUM_VALUES = """\
assert call(sum_squares, [1, 2]) == 5, "1 + 4 is 5"
### BEGIN HIDDEN TESTS
assert call(sum_squares, [3, 4, 12]) == 169, "wrong for another list"
### END HIDDEN TESTS
"""

SUM_PARTIAL = """\
# A point for each of four lists.
### BEGIN HIDDEN TESTS
lists = [[], [2], [-1, 1], [0.5]]
right = [call(sum_squares, numbers) == sum(n * n for n in numbers) for numbers in lists]
if not all(right):
    print(f"right for {sum(right)} of the four lists")
sum(right)
### END HIDDEN TESTS
"""

WRITTEN = """\
Because squares are never negative.
=== BEGIN MARK SCHEME ===
3 points: says that squares are never negative.
=== END MARK SCHEME ===
"""


def source_notebook() -> nbformat.NotebookNode:
    """The instructor's notebook."""
    written = metadata("explain--written", grade=True, solution=True, points=3)
    return notebook_of(
        [
            new_markdown_cell("# A small set\n\nSome words of the instructor.", id="title"),
            code("setup", SETUP, locked=True),
            new_markdown_cell("## Doubling", id="about-double"),
            code("double", DOUBLE, solution=True),
            code("double--values", DOUBLE_VALUES, **TEST, points=2),
            code("double--hidden", DOUBLE_HIDDEN, **TEST, points=3),
            new_code_cell("print('an open cell')", id="open-cell"),
            code(
                "sum-squares",
                "def sum_squares(numbers):\n    return sum(n * n for n in numbers)",
                solution=True,
            ),
            code("sum-squares--values", SUM_VALUES, **TEST, points=1),
            code("sum-squares--partial", SUM_PARTIAL, **TEST, points=4),
            new_markdown_cell(WRITTEN.strip(), id="explain--written", metadata=written),
        ]
    )


def with_first_lines(notebook):
    """The notebook, with tests whose first lines say their points."""
    for test in filter(cells.is_test, notebook.cells):
        points = test.metadata.nbgrader.points
        test.source = f"# {cells.grade_id(test)} · {points:g} points\n{test.source}"
    return notebook


def make_course(folder: Path, notebook: nbformat.NotebookNode | None = None) -> Path:
    """A course with the small set in it."""
    put_into(folder, NAME, notebook or source_notebook())
    return folder


def release_of(course: Path) -> nbformat.NotebookNode:
    """What a learner of that course was given."""
    return release_in(course, NAME)


RIGHT = {
    "double": "def double(x):\n    return x + x",
    "sum-squares": "def sum_squares(numbers):\n    return sum(n**2 for n in numbers)",
    "explain--written": "A square is never negative.",
}


def answered(course: Path, **answers: str) -> nbformat.NotebookNode:
    """A learner's notebook: right in all but what ``answers`` says, ``sum_squares="..."``."""
    notebook = release_of(course)
    named = {name.replace("_", "-"): text for name, text in answers.items()}
    named = {"explain--written" if name == "explain" else name: t for name, t in named.items()}
    for name, text in {**RIGHT, **named}.items():
        cell(notebook, name).source = text
    return notebook


def hand_in(folder: Path, student: str, notebook, name: str = f"{NAME}.ipynb") -> Path:
    """Put a notebook, or a text, where a student hands in."""
    path = folder / student / NAME / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(notebook, bytes):
        path.write_bytes(notebook)
    elif isinstance(notebook, str):
        path.write_text(notebook)
    else:
        path.write_text(json.dumps(notebook))
    return path


def book_of(into: Path) -> Gradebook:
    """The gradebook of a folder of graded work, by nbgrader."""
    return Gradebook(f"sqlite:///{into / 'gradebook.db'}", COURSE_ID)


def mark(into: Path, student: str, points: float | None, test: str = "explain--written") -> None:
    """Give a mark by hand as nbgrader's formgrader does, which runs the folder's settings first."""
    record_marks(into)
    with book_of(into) as book:
        grade = book.find_grade(test, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def grade(submitted: Path, into: Path, course: Path, **more) -> Report:
    """Grade a class on the small set, in this process: each worker would load torch first."""
    given = {"limits": Limits(call_seconds=2, cell_seconds=2), "sandboxed": SANDBOXED}
    if "scheduler" not in more:
        given["workers"] = 1
    return engine.grade(NAME, submitted, into, course=course, **given | more)
