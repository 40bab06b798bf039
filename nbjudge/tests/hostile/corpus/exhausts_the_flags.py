"""Two hundred cells that each put out a little more than is kept, for as many remarks in a report.

kind: exhaustion
honest: 0
once: got through
seen: produces more output than is kept
"""

from nbformat.v4 import new_code_cell

CODE = "print('x' * 1_000_000)\nfor number in range(7):\n    print('x' * 1_000_000)"


def hand_in(notebook, folder):
    notebook.cells += [new_code_cell(CODE) for _ in range(200)]
    return notebook
