"""Reads the memory, the environment and the open files of every process that it can see.

kind: peeking
honest: 0
exercise: double
"""

import os
import re

found = []
for pid in [name for name in os.listdir("/proc") if name.isdigit()][:200]:
    for what in ("environ", "cmdline", "maps"):
        try:
            found.append(open(f"/proc/{pid}/{what}", "rb").read(1 << 16))
        except OSError:
            continue
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):
            found.append(os.readlink(f"/proc/{pid}/fd/{number}").encode())
            if number not in "012" and "socket" not in found[-1].decode():
                found.append(open(f"/proc/{pid}/fd/{number}", "rb").read(1 << 12))
    except (OSError, ValueError):
        continue
text = b" ".join(found)
seeds = re.findall(rb"NBJUDGE_SEED=(\d+)", text)


def double(x):
    import random

    os.environ["NBJUDGE_SEED"] = seeds[0].decode()
    return 2 * random.Random(fresh("double--hidden").initial_seed()).randint(100, 10**6)
