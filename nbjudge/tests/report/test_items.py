"""Item statistics of tests, on small classes made for it."""

import pytest

from nbjudge.report.items import FEWEST, discrimination, items
from nbjudge.store.results import Report, StudentResult, TestResult


def report(*learners, void=()):
    """A report in which each learner has these points on the tests ``a``, ``b``, ..."""
    students = {}
    for number, points in enumerate(learners):
        tests = {
            f"x--{name}": TestResult(score, 2.0, void=name in void)
            for name, score in zip("abc", points, strict=False)
        }
        students[f"learner-{number}"] = StudentResult(tests, seed=1)
    return Report("ps", students)


def statistics(*learners, **more):
    return {item.test.removeprefix("x--"): item for item in items(report(*learners, **more))}


def test_a_test_that_only_the_good_pass_discriminates_and_its_opposite_does_so_negatively():
    good, weak = (2, 2, 0), (0, 0, 2)
    found = statistics(*[good] * 6, *[weak] * 6)
    # The rest is 2 for both: a test and its opposite cancel out.
    assert found["a"].discrimination is None and found["b"].discrimination is None
    assert found["c"].discrimination == pytest.approx(-1)


def test_the_test_itself_is_no_part_of_the_rest():
    """With it, even a test of pure chance would correlate with the total."""
    found = statistics(*[(2, 2), (2, 0), (0, 2), (0, 0)] * 3)
    assert found["a"].discrimination == pytest.approx(0)


def test_few_learners_and_no_variance_give_none():
    assert discrimination([0, 1] * FEWEST, [0, 1] * FEWEST) == pytest.approx(1)
    assert discrimination([0, 1] * 4, [0, 1] * 4) is None
    assert discrimination([1] * FEWEST, range(FEWEST)) is None
    thirds = [0.1 + 0.2, 0.3] * FEWEST  # which differ in the last digit
    assert discrimination([0, 1] * FEWEST, thirds) is None


def test_rates_and_means():
    found = statistics((2, 1), (1, 2), (0, 2), (2, 2))
    assert (found["a"].learners, found["a"].failure_rate, found["a"].mean) == (4, 0.5, 0.625)
    assert (found["b"].failure_rate, found["b"].mean) == (0.25, 0.875)


def test_what_is_not_marked_yet_counts_nowhere():
    rows = [(2, 2, None), (0, 0, 2)] * 6
    found = statistics(*rows)
    assert (found["c"].learners, found["c"].failure_rate) == (6, 0.0)
    # Else the weaker half, whose answers are marked, would have the greater rest.
    assert found["a"].discrimination == pytest.approx(1)
    assert statistics((None,))["a"].failure_rate is None


def test_a_void_test_has_no_statistics_and_is_no_part_of_the_rest():
    found = statistics(*[(2, 2, 0), (0, 0, 2)] * 6, void="c")
    assert found["c"].void and found["c"].failure_rate is None
    assert found["a"].discrimination == pytest.approx(1)


def test_only_notebooks_that_were_run_count():
    made = report((2, 2), (0, 2))
    made.students["learner-1"].seed = None
    assert [item.learners for item in items(made)] == [1, 1]
    assert items(Report("ps", {})) == []
