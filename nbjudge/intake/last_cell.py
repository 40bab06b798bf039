"""What makes *Run All Cells* useful in a learner's notebook: it ends with the points so far."""

from __future__ import annotations

import nbformat
from nbformat import NotebookNode

from nbjudge.inside.first_line import name_of_test
from nbjudge.intake import cells
from nbjudge.intake.first_cell import lock

#: Jupyter goes on after a cell with this tag, whatever it raises.
GO_ON = "raises-exception"

_POINTS = """\
# Run > Run All Cells, and this line says what the tests above have given so far.
from nbjudge.testing import points_so_far

points_so_far({{{totals}}})
"""


def go_on_to_the_end(notebook: NotebookNode) -> None:
    """Let Jupyter go on after any cell that fails from the first answer on, and add up the points.

    They are added up in a last, locked cell if the tests' first lines say their points, see
    :mod:`nbjudge.inside.first_line`.
    """
    totals: dict[str, float] = {}
    begun, named = False, True
    for cell in notebook.cells:
        begun = begun or cells.is_answer(cell)
        if begun and cell.cell_type == "code":  # a cell that is given may use an answer
            tags = cell.metadata.setdefault("tags", [])
            cell.metadata["tags"] = tags if GO_ON in tags else [*tags, GO_ON]
        if not cells.is_graded(cell):
            continue
        exercise = cells.exercise_of(cells.grade_id(cell))
        totals[exercise] = totals.get(exercise, 0) + cells.points(cell)
        if cells.is_test(cell):
            named = named and name_of_test(cell.source) == cells.grade_id(cell)
    if totals and named:
        listed = "".join(f'    "{name}": {points:g},\n' for name, points in totals.items())
        source = _POINTS.format(totals=f"\n{listed}").strip()
        last = nbformat.v4.new_code_cell(source, id=cells.POINTS)
        lock(last)
        notebook.cells.append(last)
