"""Sleeps for ever in its cell, with every signal ignored.

kind: time
honest: 0
exercise: double
seen: stopped after|ran out of time
"""

import signal
import time

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
while True:
    try:
        time.sleep(1000)
    except BaseException:
        continue
