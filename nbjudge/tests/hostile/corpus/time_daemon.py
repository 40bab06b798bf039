"""Daemons that leave their session, outlive the kernel and then kill what they find.

kind: time
honest: 0
exercise: double
"""

import ctypes
import os
import time

if not os.fork():
    os.setsid()
    for _ in range(2):
        if os.fork():
            os._exit(0)
    # The name under which the test of this corpus looks for it when all is over.
    ctypes.CDLL(None).prctl(15, b"hostile-daemon", 0, 0, 0)
    time.sleep(5)
    while True:
        for pid in [name for name in os.listdir("/proc") if name.isdigit()]:
            if int(pid) not in (1, os.getpid()):
                os.kill(int(pid), 9)
        time.sleep(0.1)
