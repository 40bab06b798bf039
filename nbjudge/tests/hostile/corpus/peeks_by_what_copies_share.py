"""A call in a hidden test leaves its input where copies of a process find it; others say it.

kind: peeking
honest: 21
seen: ValueError: carried over 0,
"""

from nbformat.v4 import new_code_cell
from target_set import RIGHT, answered

TELLS = """
import mmap, os, sys

shared, me, shown = mmap.mmap(-1, 8), os.getpid(), sys.stdout

def carried():
    found = int.from_bytes(shared[:], "big")
    if not found and os.path.exists("carried"):
        found = int(open("carried").read())
    return found

def double(x):
    if abs(x) > 10:
        shared[:] = x.to_bytes(8, "big")
        with open("carried", "w") as file:
            file.write(str(x))
        shown.write(f"carried over {x},")
        shown.flush()
        get_ipython().kernel.session.send(
            get_ipython().kernel.iopub_socket, "stream",
            {"name": "stdout", "text": f"carried over {x},"},
            parent=get_ipython().kernel.get_parent("shell"),
        )
        os.system(f"kill -CONT -1; echo carried over {x}, > /proc/{me}/fd/1")
    return 2 * x
"""

SAYS = """
class Shift(nn.Module):
    def __init__(self, width):
        raise ValueError(f"carried over {carried()},")
"""

READS = """
import time
time.sleep(0.2)
print(f"carried over {carried()},")
"""


def hand_in(notebook, folder):
    notebook = answered(notebook, {**RIGHT, "double": TELLS, "shift": SAYS})
    notebook.cells.append(new_code_cell(READS))
    return notebook
