"""Crashes its process in every test: writes to address 0, stops itself, aborts.

kind: exhaustion
honest: 0
exercise: sum-squares
seen: died|stopped
"""

import ctypes
import os
import signal


def sum_squares(numbers):
    if len(numbers) == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
        os.kill(0, signal.SIGSTOP)
    ctypes.string_at(0)
