"""Code that ends, hangs or breaks its kernel costs its own points alone, and bounded time."""

import time
from types import SimpleNamespace

import pytest
from judged_set import (
    ANSWERS,
    DOUBLE,
    DOUBLE_VALUES,
    FULL,
    QUICK,
    judged,
    judged_side_by_side,
    lost,
    nursery,
    scores,
)

from nbjudge.judge import Limits
from nbjudge.judge.kernels import MAX_RESTARTS_OF_EXERCISE, Kernels
from nbjudge.judge.learners import ASLEEP_SECONDS, CONNECT_SECONDS, LearnersKernel, NoKernel
from nbjudge.judge.pump import OUT_OF_TIME, CellRun
from nbjudge.sandbox import Usage

BREAKS = {
    "hangs when called": ("def double(x):\n    while True: pass", "loop that never ends"),
    "hangs stubbornly": (
        "def double(x):\n    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass",
        "loop that never ends",
    ),
    "sleeps": ("import time\ndef double(x):\n    time.sleep(1000)", "loop that never ends"),
    "ends the process": ("import os\ndef double(x):\n    os._exit(0)", "kernel died"),
    "crashes": (
        "import faulthandler\ndef double(x):\n    faulthandler._read_null()",
        "kernel died",
    ),
    "ends at once": ("import os\nos._exit(1)", "kernel died"),
    "hangs at once": ("while True: pass", "loop that never ends"),
    "leaves": ("import sys\ndef double(x):\n    sys.exit(0)", "SystemExit"),
    "no recursion's end": ("def double(x):\n    return double(x)", "RecursionError"),
    "prints without end": ("while True: print('ha' * 9999)", "stopped"),
    "prints when called": ("def double(x):\n    while True: print('ha' * 9999)", "never ends"),
    "closes its files": ("import os\ndef double(x):\n    os.closerange(0, 256)", "kernel died"),
    "more than can be sent": ("def double(x):\n    return [0] * 10**7", "return a tensor"),
    "a tensor too large": ("def double(x):\n    return x[:1].expand(10**6, 10**6)", "too large"),
    "a list in itself": ("def double(x):\n    a = []; a.append(a); return a", "lists in lists"),
}


#: With a hidden test before it, a cell that ends its process would be told of in fewer words.
SHOWN = {"double--values": (DOUBLE_VALUES.partition("### BEGIN HIDDEN")[0], 3)}

#: Notebooks of three that break, each between answers that are right.
BROKEN = [list(BREAKS)[first::5] for first in range(5)]


@pytest.mark.thorough("broken kernel")
@pytest.mark.parametrize("ways", BROKEN, ids=", ".join)
def test_what_breaks_costs_its_own_points_alone(ways):
    answers = {"right before": DOUBLE}
    for way in ways:
        answers |= {way: BREAKS[way][0], f"right after {way}": DOUBLE}
    started = time.monotonic()
    judgements = judged_side_by_side(answers, tests=SHOWN)
    assert time.monotonic() - started < 90
    for label, one in judgements.items():
        if label in ways:
            assert one.scores == {"double--values": 0}, label
            assert BREAKS[label][1] in one.lost["double--values"], label
        else:
            assert one.scores == {"double--values": 3}, (label, one.lost, one.whole.flags)


@pytest.mark.thorough("broken kernel")
def test_who_ends_python_again_and_again_is_told_so():
    kernels = Kernels(None, None, None, None, None)
    kernels._restarts["double"] = MAX_RESTARTS_OF_EXERCISE
    with pytest.raises(NoKernel, match="has stopped or hung Python 3 times, so it is not started"):
        kernels._restart("double")


def test_a_cell_that_the_end_of_the_time_cuts_short_is_not_blamed_for_the_kernel(monkeypatch):
    def no_time():
        raise NoKernel("the time is used up")

    cut_short = SimpleNamespace(
        done=set(),
        snapshots={},
        run=lambda *given: CellRun(OUT_OF_TIME, rests=False),
        end=Usage,
    )
    kernels = Kernels(None, None, lambda index: "", lambda index: 0.1, no_time)
    monkeypatch.setattr(kernels, "start", lambda: cut_short)
    kernels.finished = [0]
    kernels.be_careful()
    with pytest.raises(NoKernel, match="used up"):
        kernels.catch_up()
    assert kernels.finished == [0] and kernels.broken == []


SABOTAGE = {
    "cells no longer run": "get_ipython().run_cell = lambda *a, **k: None\n"
    "get_ipython().run_cell_async = None",
    "the kernel no longer runs": "get_ipython().kernel.do_execute = None",
    "nobody serves": "import nbjudge.inside.testing.learner as l\nl.serve = lambda: None",
    "it serves for ever": "import time, nbjudge.inside.testing.learner as l\n"
    "l.serve = lambda: time.sleep(1000)",
    "it serves noise": "import os, socket, nbjudge.inside.testing.learner as l\n"
    "def serve():\n    s = socket.socket(socket.AF_UNIX); s.connect(l._path)\n"
    "    while True:\n        s.recv(65536); s.sendall(os.urandom(4000))\nl.serve = serve",
    "it is stopped": "import os, signal\nsignal.raise_signal(signal.SIGSTOP)\n"
    "import threading\nthreading.Event().wait()",
}


@pytest.mark.thorough("broken kernel")
@pytest.mark.parametrize("way", list(SABOTAGE)[::2])
def test_a_cell_of_their_own_that_breaks_the_kernel_costs_nothing_else(way):
    judgement = judged({"own-double--inputs": SABOTAGE[way]})
    assert scores(judgement) == FULL
    assert judgement.flags, "it is said"


@pytest.mark.thorough("broken kernel")
@pytest.mark.parametrize("way", list(SABOTAGE)[1::2])
def test_an_answer_that_breaks_the_kernel_costs_its_own_points_alone(way):
    judgement = judged({"product": f"{ANSWERS['product']}\n{SABOTAGE[way]}"})
    assert set(lost(judgement)) <= {"product--values"}
    assert judgement.flags, "it is said"


@pytest.mark.thorough("grading of small classes")
def test_a_kernel_that_sleeps_when_it_is_called_is_not_waited_for():
    asleep = "\nget_ipython().kernel.shell_handlers['execute_request'] = None"
    learner = LearnersKernel(nursery(), QUICK, (), {}, 1)
    try:
        assert learner.run(asleep, 3).how == "ok"
        began = time.monotonic()
        with pytest.raises(NoKernel, match="does not answer the tests"):
            learner.connect()
        assert time.monotonic() - began < CONNECT_SECONDS - ASLEEP_SECONDS
    finally:
        learner.end()


def test_the_time_of_the_whole_is_bounded():
    limits = Limits(call_seconds=1, cell_seconds=2, submission_seconds=4)
    slow = "import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass"
    started = time.monotonic()
    judgement = judged(
        {f"own{place}": slow for place in ("", "-double", "-product")}, limits=limits
    )
    assert time.monotonic() - started < 25
    assert any("were used up before" in flag for flag in judgement.flags)
    assert any("was not run" in message for message in lost(judgement).values())


@pytest.mark.thorough("broken kernel")
def test_an_exercise_that_hangs_does_not_eat_the_time_of_the_others():
    limits = Limits(call_seconds=6, cell_seconds=30, submission_seconds=60)
    tests = {f"double--more-{n}": ("call(double, 1)", 1) for n in range(3)}
    answers = {"double": "def double(x):\n    while True: pass"}
    judgement = judged(answers, limits=limits, tests=tests)
    # What a busy machine lets it wait is not among these seconds.
    assert sum(test.seconds for test in judgement.tests.values()) < 25
    assert not set(lost(judgement)) & {"product--values", "line--values", "choices--answers"}
