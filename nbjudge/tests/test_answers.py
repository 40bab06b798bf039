"""Reading what is known about an exercise's answers, and keeping it from learners."""

import pytest
import small_set
from small_set import NAME, release_of

from nbjudge.answers import load_broken, load_variants
from nbjudge.intake.release import make_release, release_files
from nbjudge.intake.sources import copy_source
from nbjudge.report import overview
from nbjudge.variants import fill

ADDS = """\
@right("adds", "adds x to itself")
def double(x):
    return x + x
"""
BASED = """\
@right("plain", "in two steps", edited=True)
def double(x):
    factor = 2
    return factor * x
"""
SQUARES = """\
@wrong("squares", "squares instead of doubling", match="should be 6", loses=["values"])
# a comment of the answer's own
def double(x):
    return square(x)


def square(x):
    return x * x
"""
NOTHING = """\
wrong("nothing", "Nothing is returned (yet)")
double = print
"""


@pytest.fixture
def course(tmp_path):
    return small_set.make_course(tmp_path)


def write(course, text, name="double.py"):
    folder = course / "solutions" / NAME
    (folder / name).write_text(text)
    return folder


def one(course, text):
    [variant] = load_variants(write(course, text))["double"]
    return variant


def test_an_answer_is_its_entry_and_the_source_below_it(course):
    folder = write(course, f"{ADDS}\n\n{SQUARES}\n\n{NOTHING}")
    assert list(load_variants(folder)) == ["double"]
    right, wrong, nothing = load_variants(folder)["double"]
    assert (right.exercise, right.name, right.right) == ("double", "right-adds", True)
    assert (right.about, right.source) == ("adds x to itself", "def double(x):\n    return x + x")
    assert (wrong.name, wrong.right, wrong.match) == ("wrong-squares", False, "should be 6")
    assert wrong.source.startswith("# a comment of the answer's own\ndef double")
    assert wrong.source.endswith("def square(x):\n    return x * x")
    assert nothing.source == "double = print"


def test_what_is_lost_is_said_by_what_is_lost_or_by_what_is_not(course):
    values, hidden = "double--values", "double--hidden"
    assert one(course, SQUARES).loses == (values,)
    assert one(course, SQUARES.replace("loses", "spares")).loses == (hidden,)
    assert one(course, NOTHING).loses == (values, hidden)


def test_what_is_told_is_what_the_answer_does_unless_it_says_otherwise(course):
    assert one(course, NOTHING).match == r"Nothing\ is\ returned\ \(yet\)"


def test_an_edit_changes_the_solution_or_the_right_answer_that_says_so(course):
    edit = 'wrong("thrice", "thrice", edit=("2", "3"))\n'
    *_, wrong = load_variants(write(course, edit + ADDS))["double"][:1]
    assert wrong.source == "def double(x):\n    return 3 * x  # the instructor's way"
    *_, wrong = load_variants(write(course, ADDS + BASED + edit))["double"]
    assert wrong.source == "def double(x):\n    factor = 3\n    return factor * x"
    pairs = 'wrong("sum", "adds 1", edit=[("= 2", "= 1"), ("factor *", "factor +")])\n'
    *_, wrong = load_variants(write(course, BASED + pairs))["double"]
    assert wrong.source == "def double(x):\n    factor = 1\n    return factor + x"


def test_a_broken_line_is_one_of_the_solution_whatever_edits_change(course):
    [broken] = load_broken(write(course, BASED + '\n\nbroken("2 * x", "2 + x")\n'))
    assert (broken.exercise, broken.old, broken.new) == ("double", "2 * x", "2 + x")
    assert broken.source == "def double(x):\n    return 2 + x  # the instructor's way"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('right("a", "b"', "not valid Python"),
        ('right("a", "b")', "either an edit or the source below it"),
        ('right("a")\ndouble = 1', r"line 1: right\(\) missing .*'about'"),
        ('right("a", "b", match="c")\ndouble = 1', "unexpected keyword argument 'match'"),
        ('right("a", str(1))\ndouble = 1', "malformed"),
        (ADDS + ADDS, "line 4: there are two answers named right-adds"),
        ('wrong("a", "b")\n', "either an edit or the source below it"),
        ('wrong("a", "b", edit=("2", "3"))\ndouble = 1', "either an edit or the source below it"),
        ('wrong("a", "b", edit=("7", "3"))', "'7' must occur once in .*, not 0 times"),
        ('wrong("a", "b", edit=("x", "y"))', "'x' must occur once in .*, not 2 times"),
        ('wrong("a", "b", match="(")\ndouble = 1', "unterminated subpattern"),
        ('wrong("a", "b", loses=["value"])\ndouble = 1', "'value' is not one of the tests"),
        ('wrong("a", "b", loses=["values"], spares=["hidden"])\ndouble = 1', "not both"),
        ('wrong("a", "b", spares=["values", "hidden"])\ndouble = 1', "must fail a test"),
        ('broken("2", "3")\ndouble = 1', "nothing but an entry may follow"),
        ('broken("7", "3")', "'7' must occur once"),
    ],
)
def test_an_entry_that_is_not_complete_is_refused(course, text, message):
    with pytest.raises(ValueError, match=rf"double\.py: .*{message}"):
        load_variants(write(course, text))


def test_a_file_of_no_exercise_is_refused_and_others_files_are_not_read(course):
    folder = write(course, "raise SystemExit", "helper.py")
    assert load_variants(folder) == {}
    write(course, ADDS, "dubble.py")
    with pytest.raises(ValueError, match=r"dubble\.py is named for 'dubble'.*: double, sum-sq"):
        load_variants(folder)


def test_files_beside_the_notebook_go_along_and_known_answers_do_not(course, tmp_path):
    # nbgrader's own setting would keep all Python from learners.
    (course / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.source_directory = "solutions"\n'
    )
    write(course, ADDS)
    write(course, '# Not even if its name is wrong.\nwrong("a", "b", edit=("2", "3"))', "dubble.py")
    write(course, "right(90)  # a turtle's", "helper.py")
    kept = {f"{NAME}.ipynb", "helper.py"}
    assert set(release_files(NAME, course)) == kept
    copy_source(NAME, course, tmp_path / "copy")
    assert {path.name for path in (tmp_path / "copy").iterdir()} == kept


@pytest.mark.thorough("grading of small classes")
def test_one_entry_in_one_file_is_all_that_a_further_wrong_answer_needs(course, tmp_path):
    """It is read, it is graded as it says, and the overview calls the mistake by its name."""
    folder = write(course, ADDS)
    make_release(NAME, course)
    write(
        course, ADDS + '\n\nwrong("halves", "halves", match="6, but .* 1.5", edit=("2 *", "0.5 *"))'
    )
    *_, added = load_variants(folder)["double"]
    assert (added.name, added.loses) == ("wrong-halves", ("double--values", "double--hidden"))

    answers = {**small_set.RIGHT, "double": added.source}
    small_set.hand_in(tmp_path / "submitted", "ann", fill(release_of(course), answers))
    report = small_set.grade(tmp_path / "submitted", tmp_path / "into", course)
    lost = {
        name: test.message
        for name, test in report.students["ann"].tests.items()
        if test.score is not None and test.score < test.max_score
    }
    assert set(lost) == set(added.loses)
    assert "should be 6, but it is 1.5" in lost["double--values"]
    assert overview.match(lost, load_variants(folder)["double"]) == added


def test_a_course_without_known_answers_has_none(course):
    assert load_variants(course / "solutions" / NAME) == {}
    assert load_broken(course / "solutions" / NAME) == []
