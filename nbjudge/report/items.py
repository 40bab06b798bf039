"""The statistics of a problem set's tests: how many fail each, and how well it discriminates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, mean

from nbjudge.store.results import Report, StudentResult

#: Minimum number of learners for a discrimination: with fewer, it is mostly chance.
FEWEST = 10


@dataclass(frozen=True)
class ItemStatistics:
    """A test's statistics over the notebooks that were run; a void test has none.

    Attributes
    ----------
    test:
        Its name.
    points:
        Its points.
    learners:
        The number of learners with a mark on it.
    failure_rate:
        The share of them without full marks, between 0 and 1; ``None`` if there are none.
    mean:
        Their mean score as a share of the points (the item's facility), between 0 and 1.
    discrimination:
        The item-rest correlation, between -1 and 1; see :func:`discrimination`.
    void:
        Whether the instructor has declared the test void.
    """

    test: str
    points: float
    learners: int = 0
    failure_rate: float | None = None
    mean: float | None = None
    discrimination: float | None = None
    void: bool = False


def items(report: Report) -> list[ItemStatistics]:
    """The statistics of a problem set's tests and marked answers, in the order of the notebook.

    Only notebooks that were run count, and only marks that have been given.
    """
    run = [student for student in report.students.values() if student.seed is not None]
    names = list(dict.fromkeys(name for student in run for name in student.tests))
    void = {name for name in names if any(s.tests[name].void for s in run if name in s.tests)}
    everybody = [n for n in names if n not in void and all(_score(s, n) is not None for s in run)]
    totals = [sum(_score(student, name) or 0.0 for name in everybody) for student in run]
    rows = []
    for name in names:
        points = next(s.tests[name].max_score for s in run if name in s.tests)
        if name in void:
            rows.append(ItemStatistics(name, points, void=True))
            continue
        scores, rests = [], []
        for student, total in zip(run, totals, strict=True):
            if (score := _score(student, name)) is not None:
                scores.append(score)
                rests.append(total - score if name in everybody else total)
        rows.append(
            ItemStatistics(
                name,
                points,
                len(scores),
                mean(score < points for score in scores) if scores else None,
                mean(scores) / points if scores and points else None,
                discrimination(scores, rests),
            )
        )
    return rows


def discrimination(scores: Sequence[float], rests: Sequence[float]) -> float | None:
    r"""The item-rest correlation: Pearson's correlation of a test's points with the other tests'.

    .. math:: r = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}
                       {\sqrt{\sum_i (x_i - \bar x)^2 \sum_i (y_i - \bar y)^2}}

    where :math:`x_i` are learner :math:`i`'s points on the test and :math:`y_i` their points on
    the rest of the problem set, without this test: with it, the test would correlate with itself.

    Parameters
    ----------
    scores:
        Each learner's points on the test.
    rests:
        Each learner's points on the other tests, before a late penalty. Tests that not everybody
        has a mark on, and void ones, are left out.

    Returns
    -------
    Between -1 and 1. ``None`` for fewer than :data:`FEWEST` learners, or if all have the same
    points on the test or on the rest.
    """
    if len(scores) < FEWEST:
        return None
    try:
        # Sums of thirds differ in their last digits, which is no difference between learners.
        return correlation([round(x, 9) for x in scores], [round(y, 9) for y in rests])
    except StatisticsError:
        return None


def _score(student: StudentResult, name: str) -> float | None:
    return student.tests[name].score if name in student.tests else None
