"""Releases: the same bytes each time, nothing of the instructor's in them."""

import nbformat
import pytest
import small_set
from around import ALONE, AROUND
from small_set import NAME

from nbjudge.course import problem_set_names
from nbjudge.inside.program import program
from nbjudge.intake import cells, release
from nbjudge.intake.release import is_current, make_release, release_files, state
from nbjudge.intake.sources import release_folder, stored_weights

STALE = "run `tfcourse release {}` and commit what it writes"


def test_it_is_the_same_each_time_and_written_only_when_it_changes(tmp_path):
    course = small_set.make_course(tmp_path)
    path = make_release(NAME, course)
    first, written = path.read_bytes(), path.stat().st_mtime_ns
    assert make_release(NAME, course) == path
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (first, written)
    assert is_current(NAME, course)
    path.write_bytes(first + b" ")
    assert not is_current(NAME, course)
    make_release(NAME, course)
    assert path.read_bytes() == first


def test_its_state_is_another_one_once_it_may_not_be_current(tmp_path):
    course = small_set.make_course(tmp_path / "course")
    notebook = make_release(NAME, course)
    source = course / "solutions" / NAME / f"{NAME}.ipynb"
    states = [state(NAME, course)]
    for path in (source, notebook, source.with_name("answers.py"), source.parents[1] / "header.md"):
        path.write_text((path.read_text("utf-8") if path.exists() else "") + "\n", "utf-8")
        assert state(NAME, course) != states[-1], path
        states.append(state(NAME, course))
    (course / "_config.yml").write_text("repository: {url: https://example.org/c}\n", "utf-8")
    assert state(NAME, course) not in states, "the first cell names another address"
    assert state(NAME, course) == state(NAME, course)
    (source.parent / "__pycache__").mkdir()
    before = state(NAME, course)
    (source.parent / "__pycache__" / "answers.pyc").write_bytes(b"compiled")
    assert state(NAME, course) == before


def test_solutions_and_hidden_tests_and_rubrics_are_out_and_the_rest_is_in(small_course):
    text = "\n".join(cell.source for cell in small_set.release_of(small_course).cells)
    for secret in ("instructor's way", "n * n", "secret_number", "169", "MARK SCHEME", "BEGIN"):
        assert secret not in text, secret
    assert "double(3) should be 6" in text
    assert "# The same for numbers drawn when the work is graded." in text
    assert text.count("Your code goes here.") == 2


def test_files_beside_the_notebook_go_along_until_they_are_gone(tmp_path):
    course = small_set.make_course(tmp_path)
    folder = course / "solutions" / NAME
    (folder / "data.txt").write_text("1 2 3")
    assert set(release_files(NAME, course)) == {f"{NAME}.ipynb", "data.txt"}
    make_release(NAME, course)
    (folder / "data.txt").unlink()
    make_release(NAME, course)
    assert [p.name for p in release_folder(NAME, course).iterdir()] == [f"{NAME}.ipynb"]


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        # nbgrader knows a region only by capitals, and would leave this one in.
        ("double--values", "### begin hidden tests\n1\n### end hidden tests", "HIDDEN TESTS"),
        ("double", "### BEGIN HIDDEN TESTS\n1\n### END HIDDEN TESTS", "Hidden test region"),
        ("double--values", "### BEGIN HIDDEN TESTS\n1", "No end hidden tests"),
    ],
)
def test_a_region_that_nbgrader_would_not_clear_is_not_released(tmp_path, place, text, message):
    notebook = small_set.source_notebook()
    small_set.cell(notebook, place).source += "\n" + text
    with pytest.raises(ValueError, match=message):
        release_files(NAME, small_set.make_course(tmp_path, notebook))


def test_a_test_that_the_instructors_own_answer_fails_is_not_released(tmp_path):
    notebook = small_set.source_notebook()
    test = small_set.cell(notebook, "double--values")
    course = small_set.make_course(tmp_path, notebook)
    (course / "solutions" / NAME / "double.py").write_text(
        '@wrong("squared", says="You square it.")\ndef double(x):\n    return x * x\n'
    )
    (course / program().wrong_results).mkdir(parents=True)
    make_release(NAME, course)
    test.source = test.source.replace("6", "7")
    nbformat.write(notebook, course / "solutions" / NAME / f"{NAME}.ipynb")
    with pytest.raises(ValueError, match=r"double--values \(Mistake: .*should be 7, but it is 6"):
        make_release(NAME, course)


#: Zeros are as good as anything else here: the instructor looks at the number's type only.
TYPE_ONLY = """
### BEGIN HIDDEN TESTS
assert type(call(double, 13)) is int
### END HIDDEN TESTS
"""

#: It compares the first result and only looks at the sign of the second.
ONE_OF_TWO = """
### BEGIN HIDDEN TESTS
first, second = call(double, 13)
assert first == 26 and second > 0
### END HIDDEN TESTS
"""


def weighed_course(folder, test, answer="def double(x):\n    return 2 * x"):
    """A course in which this is the only test of doubling."""
    notebook = small_set.source_notebook()
    small_set.cell(notebook, "double").source = answer
    small_set.cell(notebook, "double--values").source = test
    hidden = small_set.cell(notebook, "double--hidden")
    notebook.cells = [cell for cell in notebook.cells if cell is not hidden]
    return small_set.make_course(folder, notebook)


@pytest.mark.parametrize(
    ("test", "answer", "message"),
    [
        (
            TYPE_ONLY,
            "def double(x):\n    return 2 * x",
            "no test of double notices an answer that computes nothing; double--values accepts z",
        ),
        (
            ONE_OF_TWO,
            "def double(x):\n    return 2 * x, x",
            "the test double--values accepts ones as result 2 of a function that returns several",
        ),
    ],
)
def test_a_test_that_accepts_lies_is_not_released(tmp_path, test, answer, message):
    course = weighed_course(tmp_path, test, answer)
    with pytest.raises(ValueError, match=message):
        make_release(NAME, course)
    assert not release_folder(NAME, course).exists(), "nothing was released"
    source = course / "solutions" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(source, as_version=4)
    right = "first == 26 and second == 13" if "second" in test else "call(double, 13) == 26"
    cell = small_set.cell(notebook, "double--values")
    cell.source = "\n".join(
        f"assert {right}" if line.startswith("assert") else line for line in test.splitlines()
    )
    nbformat.write(notebook, source)
    make_release(NAME, course)
    assert stored_weights(NAME, course).accepts == {}


def test_what_accepts_lies_is_kept_from_learners_and_found_anew_when_a_cell_changes(tmp_path):
    course = small_set.make_course(tmp_path)
    make_release(NAME, course)
    assert is_current(NAME, course)
    assert [p.name for p in release_folder(NAME, course).iterdir()] == [f"{NAME}.ipynb"]
    before = stored_weights(NAME, course)
    source = course / "solutions" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(source, as_version=4)
    test = small_set.cell(notebook, "double--hidden")
    test.source += "\n# The same."
    nbformat.write(notebook, source)
    assert not is_current(NAME, course)
    make_release(NAME, course)
    assert stored_weights(NAME, course) != before


def test_a_set_of_several_notebooks_is_released_by_nbgrader(tmp_path):
    course = small_set.make_course(tmp_path)
    source = course / "solutions" / NAME / f"{NAME}.ipynb"
    for name in ("problem1", "problem2"):
        source.with_name(f"{name}.ipynb").write_bytes(source.read_bytes())
    source.unlink()
    for action in (make_release, is_current):
        with pytest.raises(ValueError, match="problem1.ipynb, problem2.ipynb.*generate_assignment"):
            action(NAME, course)


def test_an_unknown_problem_set_lists_the_known(small_course):
    with pytest.raises(ValueError, match=f"'ps98'.*must be one of: {NAME}"):
        release_files("ps98", small_course)


def course_problem_sets():
    return [] if ALONE else problem_set_names(AROUND)


@pytest.mark.parametrize("name", course_problem_sets())
def test_the_committed_release_is_what_the_source_gives(name, course, monkeypatch):
    """All of it but the table of what wrong answers return, which takes most of the time."""
    stored = release._stored_tables(release.table_file(name, course))
    monkeypatch.setattr(release, "tables_of", lambda *_: stored)
    assert is_current(name, course), STALE.format(name)


@pytest.mark.case_of("problem set")
@pytest.mark.parametrize("problem_set", course_problem_sets())
def test_the_committed_table_is_what_the_wrong_answers_return(problem_set, course):
    stored = release._stored_tables(release.table_file(problem_set, course))
    now = release.tables_of(problem_set, course)
    differ = [test for test in stored | now if stored.get(test) != now.get(test)]
    assert not differ, STALE.format(problem_set)


@pytest.mark.parametrize("name", course_problem_sets())
def test_the_committed_release_holds_no_solution(name, course):
    source = nbformat.read(course / "solutions" / name / f"{name}.ipynb", as_version=4)
    release = (release_folder(name, course) / f"{name}.ipynb").read_text(encoding="utf-8")
    for mark in cells.INSTRUCTORS_ONLY:
        assert mark not in release
    given = nbformat.reads(release, as_version=4)
    stubs = {cells.grade_id(cell): cell.source for cell in given.cells}
    for cell in source.cells:
        if cells.is_answer(cell):
            assert stubs[cells.grade_id(cell)] != cell.source, cells.grade_id(cell)
