"""Honest work keeps all its marks, however odd it is."""

import odd_answers
import pytest
import target_set
from made_course import release_in

from nbjudge.intake.release import make_release
from nbjudge.run.engine import grade

pytestmark = pytest.mark.thorough("test of odd but honest work")


@pytest.fixture(scope="module")
def students(one_nursery, tmp_path_factory):
    """The odd class, graded."""
    folder = tmp_path_factory.mktemp("honest")
    course = target_set.make_course(folder / "course")
    make_release(target_set.NAME, course)
    odd_answers.hand_in_all(folder / "submitted", release_in(course, target_set.NAME))
    submitted, into = folder / "submitted", folder / "graded"
    return grade(target_set.NAME, submitted, into, course=course, workers=1).students


@pytest.mark.parametrize("oddity", odd_answers.ODDITIES)
def test_it_keeps_full_marks(students, oddity):
    result = students[odd_answers.LEARNERS[oddity]]
    assert [test.message for test in result.tests.values() if test.message] == []
    assert (result.score, result.max_score) == (24, 24)


def test_what_was_odd_about_a_file_is_said(students):
    assert "is called" in students["a renamed file"].flags[0]
    assert students["a kernel called python311"].flags == [
        "the notebook's kernel is 'python311'; it was run in python3"
    ]


def test_there_are_many():
    assert len(odd_answers.ODDITIES) >= 25
