"""Keeps every processor busy with as many processes as it may have.

kind: exhaustion
honest: 0
exercise: double
"""

import os

for _ in range(60):
    try:
        if not os.fork():
            while True:
                pass
    except OSError:
        break
