r"""Cells that take a marker's page minutes to show: colours and formulas are looked for too long.

kind: exhaustion
honest: 0
once: got through
"""

from nbformat.v4 import new_code_cell, new_markdown_cell

SLOW = ("\\begin{a}" * 4_000, "# a" + " " * 30_000 + "b", "a" + " " * 30_000 + "b")
FORMULAS = ("\\\\(x " * 8_000, "\\\\[x " * 8_000)
COLOURS = ("a." * 15_000, "# " + " \n" * 15_000, "a?\n" * 10_000, "= " * 15_000)


def hand_in(notebook, folder):
    for text in SLOW + FORMULAS:
        notebook.cells.append(new_markdown_cell(text))
    for text in COLOURS:
        notebook.cells.append(new_code_cell(f"pass\n{text}"))
    return notebook
