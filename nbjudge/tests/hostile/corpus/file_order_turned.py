"""The cells stand in the opposite order, each test before the answer and the set-up at the end.

kind: notebook file
honest: 0
"""


def hand_in(notebook, folder):
    notebook.cells.reverse()
    return notebook
