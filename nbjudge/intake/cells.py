"""The kinds of cells in a problem set, read from nbgrader's metadata: all names and rules.

An *exercise* is one graded part of a problem set, such as ``scaling``. Its answer cell has the
grade id ``scaling``, its tests ``scaling--values`` etc., its written answer ``scaling--written``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbjudge.inside.causes import SEPARATOR
from nbjudge.inside.causes import exercise_of as exercise_of

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Suffix of a written answer's grade id.
WRITTEN = f"{SEPARATOR}written"

#: Id of the cell that installs the course; see :mod:`.first_cell`.
INSTALL = "install"

#: Id of the last cell, which adds up the points; see :mod:`.last_cell`.
POINTS = "points"

#: Prefix of the ids of a learner's own cells in the notebook that is judged.
OWN = "own-"

BEGIN_HIDDEN, END_HIDDEN = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"

#: None of these markers may be left in a learner's copy.
INSTRUCTORS_ONLY = (
    BEGIN_HIDDEN,
    END_HIDDEN,
    "BEGIN SOLUTION",
    "END SOLUTION",
    "BEGIN MARK SCHEME",
    "END MARK SCHEME",
)


def nbgrader(cell: NotebookNode) -> dict:
    """The cell's nbgrader metadata; empty if there is none or it is not a dictionary."""
    metadata = cell.get("metadata", {}).get("nbgrader", {})
    return metadata if isinstance(metadata, dict) else {}


def grade_id(cell: NotebookNode) -> str:
    """The cell's name in nbgrader; empty if it has none."""
    name = nbgrader(cell).get("grade_id", "")
    return name if isinstance(name, str) else ""


def _says(cell: NotebookNode, what: str) -> bool:
    """Whether the cell has a name in nbgrader and sets this flag."""
    about = nbgrader(cell)
    name = about.get("grade_id", "")
    return isinstance(name, str) and bool(name) and bool(about.get(what))


def learners_own(source: str) -> str:
    """An instructor's answer as a learner would write it, without the solution markers."""
    marks = ("### BEGIN SOLUTION", "### END SOLUTION")
    return "\n".join(line for line in source.splitlines() if line.strip() not in marks)


def is_learners(cell: NotebookNode) -> bool:
    """Whether the learner wrote the cell: an answer, or a cell they added."""
    return is_answer(cell) or cell.get("id", "").startswith(OWN)


def is_answer(cell: NotebookNode) -> bool:
    """Whether the learner writes in this cell: code to be tested, or text to be marked by hand."""
    return _says(cell, "solution")


def is_graded(cell: NotebookNode) -> bool:
    """Whether the cell carries points: a test, or an answer marked by hand."""
    return _says(cell, "grade")


def is_test(cell: NotebookNode) -> bool:
    """Whether the cell is a locked test."""
    return cell.cell_type == "code" and is_graded(cell) and not is_answer(cell)


def is_locked(cell: NotebookNode) -> bool:
    """Whether the cell is the instructor's: a test or another locked cell, such as the set-up."""
    return bool(grade_id(cell)) and not is_answer(cell)


def locked_code(notebook: NotebookNode) -> dict[str, str]:
    """The source of each locked code cell (set-up or test), by name."""
    locked = [c for c in notebook.cells if c.cell_type == "code" and is_locked(c)]
    return {grade_id(cell): cell.source for cell in locked}


def is_added(cell: NotebookNode) -> bool:
    """Whether the cell comes in on release, and is never graded: the first one, or the last."""
    return (grade_id(cell) or cell.get("id", "")) in (INSTALL, POINTS)


def kind(cell: NotebookNode) -> str:
    """What to call the cell in a sentence: ``"answer"``, ``"test cell"`` or ``"locked cell"``."""
    if is_answer(cell):
        return "answer"
    return "test cell" if is_test(cell) else "locked cell"


def points(cell: NotebookNode) -> float:
    """The points of a graded cell."""
    return float(nbgrader(cell).get("points", 0))


def listed(names: list[str]) -> str:
    """The names as a phrase; only the first three if there are more."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def has_hidden_tests(source: str) -> bool:
    """Whether the source contains a region of hidden tests."""
    return BEGIN_HIDDEN in source


def is_only_comments(source: str) -> bool:
    """Whether the source has only comments, as a fully hidden test has in the release."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in source.splitlines())


def without_hidden_tests(source: str, instead: str) -> str:
    """The source with each region of hidden tests replaced by the line ``instead``."""
    lines, hidden = [], False
    for line in source.splitlines():
        if BEGIN_HIDDEN in line:
            hidden = True
            lines.append(instead)
        elif END_HIDDEN in line:
            hidden = False
        elif not hidden:
            lines.append(line)
    return "\n".join(lines)
