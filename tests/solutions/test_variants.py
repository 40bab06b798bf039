"""The grader is graded: every right answer gets all points, every wrong one is told what is wrong.

At every change some answers go through the real grader, sandbox, gradebook and all, and the others
are judged by the same tests in place. At a release all are graded.
"""

import re

import pytest
from nbgrader.api import Gradebook
from whole_class import (
    COURSE,
    SANDBOXED,
    SEED,
    SOME,
    answers_of,
    broken,
    release_notebook,
    source_notebook,
    variants,
)
from wrongly import check_wrong, lost_of_exercise

from coursebook.course import problem_set_names
from nbjudge.inside.testing.errors import HINTS
from nbjudge.intake import cells
from nbjudge.run.engine import grade

#: Each class is graded once, and in one process: `-k ps07` takes that of a problem set.
pytestmark = pytest.mark.case_of("problem set")

SETS = problem_set_names(COURSE)
VARIANTS = [(ps, student, v) for ps in SETS for student, v in variants(ps, COURSE)]
BROKEN = [(ps, student, b) for ps in SETS for student, b in broken(ps, COURSE)]


def told_apart(problem_set, exercise, what):
    """A test's id: it begins with the problem set's, by which its scope is known."""
    return f"{problem_set.partition('-')[0]}-{exercise}-{what}"


@pytest.mark.parametrize(
    ("problem_set", "student", "variant"),
    [
        pytest.param(*row, id=told_apart(row[0], row[2].exercise, row[2].name))
        for row in VARIANTS
        if row[2].right
    ],
)
def test_a_right_variant_gets_all_points(lost, problem_set, student, variant):
    assert lost(problem_set, student, variant.exercise, variant.source) == {}


@pytest.mark.parametrize(
    ("problem_set", "student", "variant"),
    [
        pytest.param(*row, id=told_apart(row[0], row[2].exercise, row[2].name))
        for row in VARIANTS
        if not row[2].right
    ],
)
def test_a_wrong_variant_loses_the_tests_aimed_at_it_and_is_told(
    lost, problem_set, student, variant
):
    check_wrong(lost(problem_set, student, variant.exercise, variant.source), variant)


#: Matches a message that says what a test got and what was due, in numbers, and nothing else.
BARE = re.compile(
    r"(Several things may be wrong; start with \S+( test)?\. )?"
    r"(The value is wrong, so the gradient is too\. )?.*"
    r"(: wrong|wrong in \d+ of \d+ places(, by up to \S+)?; first at \[[\d, ]*\]|: off by \S+"
    r"|: NaN( at \[[\d, ]*\])?|,? it must be ((?!\. [A-Z]).)*|returns shape \([\d, ]*\), .*)\.",
    re.DOTALL,
)

#: Wrong answers whose mistake no message names → why.
WITHOUT_A_NAME = {
    ("clipping", "wrong-zero-division"): "ZeroDivisionError and the line say it",
    ("bug", "wrong-last-word-alone"): "the name of what is compared says it: one for each word",
    ("sinusoids", "wrong-wavelength-columns"): "so does this: the wavelengths of the three pairs",
    ("alibi", "wrong-not-enough"): "and this: the slopes of 6 heads",
}


def names_nothing(said):
    """Whether a message gives only numbers, or an error without its usual cause."""
    if " stops with " in said.splitlines()[0]:
        return not any(hint in said for hint in HINTS.values())
    return said.startswith("This test passes, and its points") or bool(BARE.fullmatch(said))


@pytest.mark.parametrize("problem_set", SETS)
def test_every_wrong_answer_is_told_its_mistake_in_words(lost, problem_set):
    """Beside `says`, the message of a verb, a check or the test may name it."""
    nameless = []
    for student, variant in variants(problem_set, COURSE):
        if variant.right or variant.says:
            continue
        told = lost(problem_set, student, variant.exercise, variant.source).values()
        named = not all(map(names_nothing, told))
        if named == ((variant.exercise, variant.name) in WITHOUT_A_NAME):
            nameless.append(f"{variant.exercise}, {variant.name}: {next(iter(told))}")
    assert not nameless, "\n".join(nameless)


@pytest.mark.parametrize(
    ("said", "bare"),
    [
        ("The output: wrong in 6 of 6 places, by up to 0.5; first at [0, 0].", True),
        ("The new h: 3.2 at [0], it must be 4.", True),
        ("The heads: shape (2, 3), it must be (1, 2, 3).", True),
        ("`f` returns shape (2, 3), it must be (3,).", True),
        ("Several things may be wrong; start with this test. The loss: off by 0.5.", True),
        ("`f` stops with RuntimeError: no\n  called with x (2,)", True),
        ("The x: float32, it must be float64. Give what you make the dtype of x.", False),
        ("`f` stops with IndexError: i\n" + HINTS["NoneType"], False),
        ("The output: NaN at [0, 0]. 0/0 is NaN.", False),
        (
            "In eval mode the output moves by 0.9 when a token after it changes: it looks ahead.",
            False,
        ),
    ],
)
def test_numbers_alone_name_nothing(said, bare):
    assert names_nothing(said) == bare


@pytest.mark.parametrize(
    ("problem_set", "student", "line"),
    [
        pytest.param(*row, id=told_apart(row[0], row[2].exercise, f"line-{n}"))
        for n, row in enumerate(BROKEN)
    ],
)
def test_one_broken_line_of_the_solution_is_noticed(lost, problem_set, student, line):
    assert lost(problem_set, student, line.exercise, line.source)


def check_noticed(report, problem_set):
    """Each broken line is noticed where it is, and nowhere else."""
    meant = {}
    for student, line in broken(problem_set, COURSE):
        if student in report.students:
            meant.setdefault(student, set()).add(line.exercise)
    assert meant
    for student, exercises in meant.items():
        result = report.students[student]
        assert {e for e in result.exercises if lost_of_exercise(result, e)} == exercises


@pytest.mark.parametrize("problem_set", SETS)
def test_broken_lines_cost_no_other_exercise(graded, problem_set):
    check_noticed(graded(problem_set).report, problem_set)


@pytest.mark.release("grading of a whole class")
@pytest.mark.parametrize("problem_set", SETS)
def test_the_whole_class_gets_what_it_gets_in_place(graded, in_place, problem_set):
    report, unlike = graded(problem_set, whole=True).report, []
    assert len(report.students) > len(SOME)
    check_noticed(report, problem_set)
    for student, variant in variants(problem_set, COURSE):
        found = lost_of_exercise(report.students[student], variant.exercise)
        if variant.right:
            assert found == {}, (student, variant)
        else:
            check_wrong(found, variant)
        here = in_place(problem_set).lost(variant.exercise, variant.source)
        if set(found) != set(here):
            unlike.append((variant.exercise, variant.name, sorted(set(found) ^ set(here))))
    assert unlike == []


@pytest.mark.parametrize("problem_set", SETS)
def test_at_least_twenty_lines_were_broken(problem_set):
    assert sum(ps == problem_set for ps, _, _ in BROKEN) >= 20


@pytest.mark.parametrize("problem_set", SETS)
def test_each_exercise_has_right_and_wrong_variants(problem_set):
    notebook = source_notebook(problem_set, COURSE)
    exercises = {
        cells.exercise_of(cells.grade_id(cell)) for cell in notebook.cells if cells.is_test(cell)
    }
    tests = {cells.grade_id(cell) for cell in notebook.cells if cells.is_test(cell)}
    for exercise in exercises:
        own = [v for ps, _, v in VARIANTS if ps == problem_set and v.exercise == exercise]
        assert sum(v.right for v in own) >= 2, exercise
        assert sum(not v.right for v in own) >= 2, exercise
    aimed_at = {test for ps, _, v in VARIANTS if ps == problem_set for test in v.loses}
    assert aimed_at == tests, "each test must be lost by some variant: it could not fail otherwise"
    assert {v.exercise for ps, _, v in VARIANTS if ps == problem_set} == exercises


@pytest.mark.parametrize("problem_set", SETS)
def test_the_solution_gets_everything_once_its_text_is_marked(graded, problem_set):
    run = graded(problem_set)
    result = run.report.students["solution"]
    by_hand = {name: test for name, test in result.tests.items() if test.score is None}
    assert set(by_hand) == {
        cells.grade_id(cell)
        for cell in source_notebook(problem_set, COURSE).cells
        if cells.is_graded(cell) and cells.is_answer(cell)
    }
    assert result.score == result.max_score - sum(test.max_score for test in by_hand.values())

    with Gradebook(f"sqlite:///{run.into / 'gradebook.db'}") as book:
        for name, test in by_hand.items():
            mark = book.find_grade(name, problem_set, problem_set, "solution")
            mark.manual_score, mark.needs_manual_grade = test.max_score, False
        book.db.commit()
    again = grade(
        *(problem_set, run.submitted, run.into),
        course=run.course,
        seed=SEED,
        sandboxed=SANDBOXED,
    )
    assert again.executed == []
    assert again.students["solution"].score == again.students["solution"].max_score


@pytest.mark.parametrize("problem_set", SETS)
def test_the_release_gets_nothing(graded, problem_set):
    run = graded(problem_set)
    result = run.report.students["release"]
    assert result.score == 0
    assert all(test.score == 0 for test in result.tests.values())
    assert not set(answers_of(source_notebook(problem_set, COURSE)).values()) & set(
        answers_of(release_notebook(problem_set, run.course)).values()
    )
