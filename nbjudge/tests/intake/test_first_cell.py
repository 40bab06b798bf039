"""The cell that installs the course: given out with each problem set, and never graded."""

import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from small_set import NAME, answered, hand_in, make_course, release_of

from nbjudge.desk.check import check
from nbjudge.intake import cells
from nbjudge.intake.first_cell import first_cell, put_first
from nbjudge.intake.merge import merge
from nbjudge.intake.release import is_current, make_release

ADDRESS = "https://example.org/course.git"


@pytest.fixture
def addressed(tmp_path):
    """A course that says where its repository is."""
    course = make_course(tmp_path / "course")
    (course / "_config.yml").write_text(f"repository: {{url: {ADDRESS}/}}\n")
    make_release(NAME, course)
    return course


def run_by_ipython(source, hide):
    """What a cell says in an IPython with ``tfcourse`` hidden, or not; pip only tells."""
    program = f"""
import importlib.util, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.register_magic_function(lambda line: print("pip", line), magic_name="pip")
real = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if {hide} and name == "tfcourse" else real(name)
shell.run_cell({source!r}, store_history=True).raise_error()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_it_installs_from_the_address_and_only_where_the_course_is_missing(addressed):
    source = first_cell(addressed, graded=False).source
    assert run_by_ipython(source, hide=False) == ""
    output = run_by_ipython(source, hide=True)
    assert output == f'pip install --quiet "tfcourse[colab] @ git+{ADDRESS}"'


def test_a_repository_that_holds_the_judge_installs_it_from_there_first(addressed):
    (addressed / "nbjudge").mkdir()
    (addressed / "nbjudge" / "pyproject.toml").touch()
    source = first_cell(addressed, graded=False).source
    assert max(map(len, source.splitlines())) <= 72
    assert run_by_ipython(source, hide=True) == (
        f'pip install --quiet "nbjudge @ git+{ADDRESS}#subdirectory=nbjudge" '
        f'pip install --quiet "tfcourse[colab] @ git+{ADDRESS}"'
    )


def test_without_an_address_it_says_what_to_do(small_course):
    source = first_cell(small_course, graded=False).source
    assert run_by_ipython(source, hide=False) == ""
    assert "make lab" in run_by_ipython(source, hide=True)
    assert max(map(len, source.splitlines())) <= 72


def test_a_release_has_it_before_its_other_code_locked_and_without_points(addressed):
    code = [c for c in release_of(addressed).cells if c.cell_type == "code"]
    assert cells.is_added(code[0]) and ADDRESS in code[0].source
    assert not code[0].metadata.editable and not cells.is_locked(code[0])
    assert not any(cells.is_added(c) for c in code[1:])
    assert is_current(NAME, addressed)
    (addressed / "_config.yml").unlink()
    assert not is_current(NAME, addressed)


def test_nbgrader_does_not_mind_it(addressed):
    from nbgrader.validator import Validator
    from traitlets.config import Config

    path = hand_in(addressed, "me", answered(addressed))
    verdict = Validator(config=Config()).validate(str(path))
    assert not verdict.get("changed") and not verdict.get("failed"), verdict


def test_check_and_grading_never_see_it(addressed, tmp_path):
    release = release_of(addressed)
    source = nbformat.read(addressed / "solutions" / NAME / f"{NAME}.ipynb", as_version=4)
    notebook = answered(addressed)
    install = next(c for c in notebook.cells if cells.is_added(c))
    install.source = "raise SystemExit('mine')"
    own = new_code_cell("helper = 1", id="mine")
    notebook.cells.insert(notebook.cells.index(install) + 1, own)
    for template in (source, release):
        merged, notes = merge(notebook.cells, template, release)
        assert not any(cells.is_added(c) for c in merged.cells)
        assert not notes.flags
        assert "helper = 1" in [c.source for c in merged.cells], "a cell after it is not lost"
    notebook.cells = [c for c in notebook.cells if not cells.is_added(c)]
    assert merge(notebook.cells, source, release)[1].flags == [], "that it was deleted is no matter"
    checked = check(hand_in(tmp_path, "me", notebook), course=addressed)
    assert checked.all_passed and not checked.flags


def test_a_lesson_gets_it_once(addressed):
    lesson = new_notebook(cells=[new_markdown_cell("# Words"), new_code_cell("1", id="one")])
    put_first(lesson, addressed)
    put_first(lesson, addressed)
    assert [c.cell_type for c in lesson.cells] == ["markdown", "code", "code"]
    assert lesson.cells[1].id == cells.INSTALL
    assert lesson.cells[1].metadata.tags == ["remove-cell"], "the site would show it"
