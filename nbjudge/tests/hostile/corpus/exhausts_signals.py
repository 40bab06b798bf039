"""Holds back as many signals as the system keeps for a user, and sets timers that raise more.

kind: exhaustion
honest: 0
exercise: double
"""

import os
import signal

late = range(signal.SIGRTMIN, signal.SIGRTMAX)
signal.pthread_sigmask(signal.SIG_BLOCK, late)
sent = 0
try:
    while sent < 200_000:
        os.kill(os.getpid(), late[sent % len(late)])
        sent += 1
except OSError as error:
    print(sent, error)


def double(x):
    return sent
