"""The time of a submission: for its cells, and some for the tests that follow them."""

import os
import subprocess
import sys

import pytest
from judged_set import QUICK, judged

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


#: It needs a second of processor time, once.
NEEDS_A_SECOND = """\
import time

def double(x):
    end = time.process_time() + (1.0 if len(x) == 3 else 0)
    while time.process_time() < end:
        pass
    return 2 * x
"""

BUSY = "import os\nwhile os.getppid() == {parent}: pass"


def test_a_busy_machine_costs_no_points():
    """With two others on each processor, a call takes three times as long as it may."""
    program = BUSY.format(parent=os.getpid())
    others = [
        subprocess.Popen([sys.executable, "-c", program])
        for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    try:
        judgement = judged({"double": NEEDS_A_SECOND})
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert judgement.tests["double--values"].message == ""
    assert judgement.tests["double--values"].seconds < QUICK.call_seconds
