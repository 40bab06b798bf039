"""The time of a submission: for its cells, and some for the tests that follow them."""

import pytest

from nbjudge.inside.limits import Limits
from nbjudge.judge import clock
from nbjudge.judge.clock import Clock
from nbjudge.judge.learners import NoKernel


def test_cells_that_use_up_the_time_leave_some_for_the_tests(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    time = Clock(Limits(cell_seconds=30, submission_seconds=60))
    assert time.cell(locked=False) == time.test() == 30 and time.cell(locked=True) == 60
    now[0] += 50
    assert time.test() == 10
    time.give(5)
    now[0] += 16
    with pytest.raises(NoKernel, match="60 s were used up"):
        time.check()
    time.turn_to_tests()
    time.check()
    assert time.test() == 30
    now[0] += 31
    with pytest.raises(NoKernel):
        time.check()
