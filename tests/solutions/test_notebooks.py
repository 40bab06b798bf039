"""The problem sets' notebooks: what they promise in words is what their cells hold."""

import re
from fnmatch import fnmatch

import nbformat
import pytest
from whole_class import COURSE, source_notebook

from coursebook.course import problem_set_names
from coursebook.headings import headings
from nbjudge.answers import holds_answers
from nbjudge.desk.check import sections
from nbjudge.intake import cells
from nbjudge.intake.sources import course_config

SETS = problem_set_names(COURSE)


@pytest.fixture(params=SETS)
def notebook(request):
    return source_notebook(request.param, COURSE)


def points_by_exercise(notebook):
    found = {}
    for cell in notebook.cells:
        if cells.is_graded(cell):
            exercise = cells.exercise_of(cells.grade_id(cell))
            found[exercise] = found.get(exercise, 0) + cells.points(cell)
    return found


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_it_is_a_plain_notebook_without_outputs(notebook):
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info == {"name": "python"}
    for cell in code(notebook):
        assert not cell.outputs and cell.execution_count is None, cell.id
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert notebook.cells[0].source.startswith("# Problem set ")


def test_the_table_says_the_points_that_the_tests_carry(notebook):
    overview = next(cell.source for cell in notebook.cells if cell.id == "overview")
    table = dict(re.findall(r"^\| `([\w-]+)` \|.*\| ([\d.]+) \|[^|]*\|$", overview, re.MULTILINE))
    points = points_by_exercise(notebook)
    assert {exercise: float(said) for exercise, said in table.items()} == points
    assert f"| **{sum(points.values()):g}** |" in overview


def test_each_exercise_says_its_points_and_time_and_needs(notebook):
    overview = next(cell.source for cell in notebook.cells if cell.id == "overview")
    for exercise, points in points_by_exercise(notebook).items():
        text = next(c.source for c in notebook.cells if c.id == f"{exercise}-text")
        heading, facts = text.splitlines()[0], text.splitlines()[2]
        assert re.fullmatch(rf"## \d .+ \(`{exercise}`\)", heading)
        told = re.fullmatch(r"\*(\d+) points.* · (\d+) min · .+\*", facts)
        assert told, facts
        assert int(told.group(1)) == points, f"{exercise}: its tests have {points:g}, {facts!r}"
        row = next(line for line in overview.splitlines() if line.startswith(f"| `{exercise}`"))
        due = f"| {points:g} | {told.group(2)} min |"
        assert row.endswith(due), f"in the table of exercises, {row!r} must end with {due!r}"


def anchors(lesson):
    """The words of a lesson's headings, by their anchors."""
    return {h.anchor: h.title for h in headings(COURSE / "notebooks" / lesson, COURSE)}


@pytest.mark.parametrize("name", SETS)
def test_each_exercise_names_a_section_that_explains_it(name):
    """A check names the section to read again: in the set's own lesson or an earlier one."""
    notebook = source_notebook(name, COURSE)
    named = sections(notebook)
    for exercise, section in named.items():
        assert (COURSE / "notebooks" / section.notebook).is_file(), exercise
        assert section.notebook[:2] <= name[2:4], f"{exercise}: {section.notebook} comes later"
        assert anchors(section.notebook).get(section.anchor) == section.title, exercise
        facts = next(c.source for c in notebook.cells if c.id == f"{exercise}-text").splitlines()[2]
        link = f"[{section.title}](../../{section.notebook}#{section.anchor})"
        assert facts.endswith(f" · see {link}*"), facts
    assert set(named) == set(points_by_exercise(notebook))


def test_ids_say_exercise_and_test(notebook):
    exercises = {cells.grade_id(c) for c in code(notebook) if cells.is_answer(c)}
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if not name:
            continue
        assert cell.id == name
        assert cells.nbgrader(cell)["schema_version"] == 3
        if cells.is_test(cell):
            assert name.count("--") == 1 and cells.exercise_of(name) in exercises
            assert cells.points(cell) > 0
        elif cells.is_graded(cell):
            assert name.endswith("--written") and "BEGIN MARK SCHEME" in cell.source
        elif not cells.is_answer(cell):
            assert name.startswith("setup")


def test_each_test_cell_says_what_it_judges_and_what_is_forbidden(notebook):
    for cell in filter(cells.is_test, notebook.cells):
        first, second, *_ = cell.source.splitlines()
        points = cells.points(cell)
        assert first == f"# {cell.id} · {points:g} point{'s' * (points != 1)}"
        assert second.startswith("# "), cell.id
        calls = re.search(r"\b(call|build|gradients|untouched)\(", cell.source)
        assert not calls or re.search(r"^by_hand\(", cell.source, re.MULTILINE), cell.id
        if cells.has_hidden_tests(cell.source):
            visible, hidden = cell.source.split("### BEGIN HIDDEN TESTS")
            assert visible.strip() and hidden.rstrip().endswith("### END HIDDEN TESTS")
            assert re.search(r"^# (Further tests: |Here it is only)", visible, re.MULTILINE)
            if "generator" in hidden:
                assert f'fresh("{cells.grade_id(cell)}")' in hidden, cell.id


def test_test_cells_touch_the_learners_names_through_verbs_alone(notebook):
    for cell in filter(cells.is_test, notebook.cells):
        answer = next(
            c
            for c in code(notebook)
            if cells.grade_id(c) == cells.exercise_of(cells.grade_id(cell))
        )
        names = re.findall(r"^(?:def|class) (\w+)", answer.source, re.MULTILINE)
        for name in names or ["answers"]:
            source = re.sub(rf"reference\.{name}\b", "", cell.source)
            source = re.sub(r'"[^"\n]*"|#.*', "", source)
            for use in re.finditer(rf"\b{name}\b(\(|\.|\[)?", source):
                assert not use.group(1), f"{cell.id} uses {name}{use.group(1)} without a verb"


def test_lines_fit_the_page(notebook):
    for cell in code(notebook):
        for line in cell.source.splitlines():
            assert len(line) <= 72, f"{cell.id}: {line}"


def test_nbgrader_gives_no_learner_what_says_how_answers_are_judged():
    """Whoever releases with nbgrader's own command."""
    ignored = course_config(COURSE).CourseDirectory.ignore
    held = [p for p in (COURSE / "solutions").glob("ps*/*") if holds_answers(p)]
    assert len(held) > len(SETS)
    assert [p for p in held if not any(fnmatch(p.name, pattern) for pattern in ignored)] == []
