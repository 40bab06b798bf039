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
    by_test = statistics(*[good] * 6, *[weak] * 6)
    # The rest is 2 for both: a test and its opposite cancel out.
    assert by_test["a"].discrimination is None and by_test["b"].discrimination is None
    assert by_test["c"].discrimination == pytest.approx(-1)


def test_the_test_itself_is_no_part_of_the_rest():
    """With it, even a test of pure chance would correlate with the total."""
    by_test = statistics(*[(2, 2), (2, 0), (0, 2), (0, 0)] * 3)
    assert by_test["a"].discrimination == pytest.approx(0)


def test_few_learners_and_no_variance_give_none():
    assert discrimination([0, 1] * FEWEST, [0, 1] * FEWEST) == pytest.approx(1)
    assert discrimination([0, 1] * 4, [0, 1] * 4) is None
    assert discrimination([1] * FEWEST, range(FEWEST)) is None
    thirds = [0.1 + 0.2, 0.3] * FEWEST  # which differ in the last digit
    assert discrimination([0, 1] * FEWEST, thirds) is None


def test_rates_and_means():
    by_test = statistics((2, 1), (1, 2), (0, 2), (2, 2))
    assert (by_test["a"].learners, by_test["a"].failure_rate, by_test["a"].mean) == (4, 0.5, 0.625)
    assert (by_test["b"].failure_rate, by_test["b"].mean) == (0.25, 0.875)


def test_what_is_not_marked_yet_counts_nowhere():
    rows = [(2, 2, None), (0, 0, 2)] * 6
    by_test = statistics(*rows)
    assert (by_test["c"].learners, by_test["c"].failure_rate) == (6, 0.0)
    # Else the weaker half, whose answers are marked, would have the greater rest.
    assert by_test["a"].discrimination == pytest.approx(1)
    assert statistics((None,))["a"].failure_rate is None


def test_a_void_test_has_no_statistics_and_is_no_part_of_the_rest():
    by_test = statistics(*[(2, 2, 0), (0, 0, 2)] * 6, void="c")
    assert by_test["c"].void and by_test["c"].failure_rate is None
    assert by_test["a"].discrimination == pytest.approx(1)


def test_only_notebooks_that_were_run_count():
    made = report((2, 2), (0, 2))
    made.students["learner-1"].seed = None
    assert [item.learners for item in items(made)] == [1, 1]
    assert items(Report("ps", {})) == []
