"""A fork bomb, and threads beside it.

kind: exhaustion
honest: 0
exercise: double
"""

import os
import threading
import time

for _ in range(2000):
    try:
        threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
    except RuntimeError:
        break
until = time.monotonic() + 1
while time.monotonic() < until:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
