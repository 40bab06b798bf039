"""Shows nothing, 30,000 times in a cell: an output that says nothing seems to cost nothing.

kind: exhaustion
honest: 0
once: got through
"""

from nbformat.v4 import new_code_cell


def hand_in(notebook, folder):
    show = "from IPython.display import display\nfor _ in range(30_000): display({}, raw=True)"
    notebook.cells += [new_code_cell(show) for _ in range(3)]
    return notebook
