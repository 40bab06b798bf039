"""A call in a hidden test locks a file for each bit of its input; a cell in another kernel looks.

kind: peeking
honest: 24
once: got through
"""

from nbformat.v4 import new_code_cell
from target_set import RIGHT, answered

#: Files that every kernel sees: one for each bit, and one for whether a number is there.
LINES = """
import fcntl, glob, os
lines = sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py"))[:21]

def locked(path):
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False
"""

TELLS = """
held = []

def double(x):
    if abs(x) > 10 and not held:
        held.extend(open(path) for bit, path in enumerate(lines) if (1 << 20 | x) >> bit & 1)
        for file in held:
            fcntl.flock(file, fcntl.LOCK_EX)
    return 2 * x
"""

READS = """
print("carried over", sum(locked(path) << bit for bit, path in enumerate(lines)))
"""


def hand_in(notebook, folder):
    notebook = answered(notebook, {**RIGHT, "double": LINES + TELLS})
    notebook.cells.append(new_code_cell(READS))
    return notebook
