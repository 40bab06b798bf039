"""Run All goes to the end of a problem set, whatever fails, and says the points so far."""

import nbclient
import pytest
from small_set import (
    NAME,
    answered,
    cell,
    hand_in,
    make_course,
    release_of,
    source_notebook,
    with_first_lines,
)

from nbjudge.intake import cells
from nbjudge.intake.last_cell import GO_ON
from nbjudge.intake.merge import merge
from nbjudge.intake.release import make_release

pytestmark = pytest.mark.thorough("grading of small classes")


@pytest.fixture
def course(tmp_path):
    """The small set with first lines that say their points, as ours do."""
    course = make_course(tmp_path / "course", with_first_lines(source_notebook()))
    make_release(NAME, course)
    return course


def text_of(cell):
    return "".join(output.get("text", "") for output in cell.outputs)


def test_all_cells_run_and_the_last_adds_up(course):
    notebook = answered(course, double="def double(x):\n    return x")
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    last = notebook.cells[-1]
    assert last.id == cells.POINTS and not last.metadata.editable
    failed = [cells.grade_id(c) for c in notebook.cells if text_of_error(c)]
    assert failed and all(cells.exercise_of(name) == "double" for name in failed)
    double, sums, *_ = text_of(last).splitlines()
    assert double.startswith("double") and "  0 of" in double and failed[0] in double
    assert sums.startswith("sum-squares") and "not passed" not in sums
    assert "points so far" in text_of(last)


#: It raises in the cell itself until it is answered, as statements to choose from do.
AT_THE_TOP = """\
double = None
### BEGIN SOLUTION
double = lambda x: 2 * x
### END SOLUTION
"""


@pytest.mark.parametrize(
    ("typed", "error"),
    [(None, "NotImplementedError"), ("def double(x)\n    return 2 * x", "SyntaxError")],
)
def test_an_answer_that_stops_keeps_nothing_else_from_running(tmp_path, typed, error):
    source = with_first_lines(source_notebook())
    cell(source, "double").source = AT_THE_TOP.strip()
    course = make_course(tmp_path / "course", source)
    make_release(NAME, course)
    notebook = release_of(course)
    answer = cell(notebook, "double")
    answer.source = typed or answer.source
    next(c for c in notebook.cells if c.id == "open-cell").source = "double(3)[0]"
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    assert text_of_error(answer) == error
    assert "0 of 13 points so far" in text_of(notebook.cells[-1])


def text_of_error(cell):
    errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
    return errors[0].ename if errors else ""


@pytest.mark.parametrize("double", ["def double(x):\n    return x", "def double(x)\n    return x"])
def test_a_test_that_fails_has_no_points_with_nbgrader_either(course, double):
    from nbgrader.utils import determine_grade
    from nbgrader.validator import Validator
    from traitlets.config import Config

    notebook = answered(course, double=double)
    path = hand_in(course, "me", notebook)
    verdict = Validator(config=Config()).validate(str(path))
    assert not verdict.get("changed") and "double" in str(verdict["failed"])
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    for test in filter(cells.is_test, notebook.cells):
        reached, most = determine_grade(test)
        assert reached == (0 if text_of_error(test) else most)


def test_grading_never_sees_the_last_cell(course):
    release = release_of(course)
    notebook = answered(course)
    notebook.cells[-1].source = "raise SystemExit('mine')"
    merged, notes = merge(notebook.cells, release, release)
    assert not notes.flags and not any(cells.is_added(c) for c in merged.cells)


def test_tests_without_a_first_line_get_no_last_cell(small_course):
    release = release_of(small_course)
    code = [c for c in release.cells if c.cell_type == "code"]
    stops = [c.id for c in code if GO_ON not in c.metadata.get("tags", [])]
    assert stops == [cells.INSTALL, "setup"], "what everything below needs"
    assert release.cells[-1].id != cells.POINTS
