"""How long a process has waited for a processor: on a busy machine that is not its own time."""

import os
import subprocess
import sys
from contextlib import ExitStack
from time import sleep

from nbjudge.inside.processes import waited

#: Two of these share one processor.
SPINS = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\nwhile True: pass"
SLEEPS = "import time\nprint('.', flush=True)\ntime.sleep(60)"


def test_waiting_for_a_processor_counts_and_sleeping_does_not():
    with ExitStack() as stack:

        def started(program):
            process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
            stack.callback(process.wait)
            stack.callback(process.kill)
            stack.callback(process.stdout.close)
            number = os.pidfd_open(process.pid)
            stack.callback(os.close, number)
            return process, number

        sleeper, asleep = started(SLEEPS)
        sleeper.stdout.read(1)
        spinners = [started(SPINS)[1] for _ in range(2)]
        sleep(0.5)
        before = waited(asleep), sum(map(waited, spinners))
        sleep(1)
        assert waited(asleep) - before[0] < 0.05
        # One of the two waits at any time.
        assert sum(map(waited, spinners)) - before[1] > 0.8


def test_what_has_ended_waits_for_nothing():
    process = subprocess.Popen([sys.executable, "-c", ""])
    number = os.pidfd_open(process.pid)
    process.wait()
    assert waited(number) == 0.0
    os.close(number)
