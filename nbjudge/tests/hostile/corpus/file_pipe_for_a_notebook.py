"""The notebook is a named pipe, at which whoever opens it waits for ever.

kind: notebook file
honest: 0
seen: is not a regular file
"""

import os

import target_set


def hand_in(notebook, folder):
    os.mkfifo(folder / f"{target_set.NAME}.ipynb")
