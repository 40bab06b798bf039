"""The meter of the tests' processor time counts each process once, however it ends."""

import os
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from spread import Clock, Meter, Process, living, used

ME, SANDBOX, CHILD = (1, 0), (2, 5), (3, 6)


def test_what_is_left_to_the_one_that_waits_is_counted_once():
    started = {ME: Process(0, 1.0, 0.0)}
    seen = {ME: Process(0, 1.5, 0.0), CHILD: Process(1, 4.0, 1.0)}
    ended = {ME: Process(0, 1.5, 7.0)}  # and used two seconds more at its end
    assert used(started, seen) == pytest.approx(5.5)
    assert used(seen, ended) == pytest.approx(2.0)


def test_what_nobody_waited_for_stays_counted():
    seen = {ME: Process(0, 1.0, 0.0), SANDBOX: Process(1, 4.0, 0.0)}
    killed = {ME: Process(0, 1.0, 0.0)}
    others = {ME: Process(0, 1.0, 0.0), CHILD: Process(1, 3.0, 0.0)}
    assert used(seen, killed) == 0.0
    assert used(killed, others) == pytest.approx(3.0)


def test_a_child_of_one_that_has_ended_too_is_counted_once():
    seen = {ME: Process(0, 1.0, 0.0), SANDBOX: Process(1, 1.0, 0.0), CHILD: Process(2, 4.0, 0.0)}
    assert used(seen, {ME: Process(0, 1.0, 5.0)}) == pytest.approx(0.0)


def test_a_number_that_is_given_again_is_another_process():
    seen = {ME: Process(0, 1.0, 0.0), SANDBOX: Process(1, 4.0, 0.0)}
    again = {ME: Process(0, 1.0, 4.0), (SANDBOX[0], 9): Process(1, 2.0, 0.0)}
    assert used(seen, again) == pytest.approx(2.0)


def test_a_folder_named_like_a_scope_is_counted_once(pytestconfig):
    clock = Clock(pytestconfig)
    for place in ("tests/site/test_build.py::test", "tests/site/test_pages.py::test[a.html]"):
        clock.pytest_runtest_logreport(
            SimpleNamespace(nodeid=place, when="call", duration=2.0, processor=1.0)
        )
    assert [seconds["tests/site"] for seconds in clock.folders] == [4.0, 2.0]
    assert [seconds["tests/site"] for seconds in clock.scopes] == [2.0, 1.0]


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs Linux's /proc")
def test_a_process_whose_parent_ends_is_followed():
    """Here: its parent ends between two readings, and another process inherits it."""
    work = "import time\nwhile time.process_time() < 0.52: pass\ntime.sleep(60)"
    between = (
        "import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {work!r}], stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\n"
        "input()"
    )
    last, took = living({}), 0.0
    parent = subprocess.Popen(
        [sys.executable, "-c", between], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    number = int(parent.stdout.readline())
    try:
        for reading in range(600):
            now = living(last)
            took, last = took + used(last, now), now
            child = next(process for key, process in now.items() if key[0] == number)
            if reading == 2:
                assert child.parent == parent.pid
                parent.communicate("\n")
            if reading > 2 and child.own > 0.5:
                break
            time.sleep(0.05)
    finally:
        os.kill(number, 9)
    assert child.parent != parent.pid
    assert 0.5 < took < 1.5


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs Linux's /proc")
def test_what_short_tests_use_counts_for_a_later_report():
    meter, took = Meter(), []
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    now = time.monotonic()
    for read in (now + 60, now + 60, now - 60):
        meter.read = read
        making = meter.pytest_runtest_makereport()
        next(making)
        with pytest.raises(StopIteration) as made:
            making.send(SimpleNamespace())
        took.append(made.value.value.processor)
    assert took[:2] == [0, 0] and took[2] > 0.25
