"""Causes of an error that stand in another cell of the learner's notebook."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from msgspec.structs import replace
from nbformat import NotebookNode

from nbjudge.intake import cells
from nbjudge.judge.messages import Finding
from nbjudge.judge.names import bound

_UNDEFINED = re.compile(r"\bNameError: name '(\w+)' is not defined")

_CUT_OFF = "cut off from the inputs"

#: Key of a merged notebook's metadata: names that only the learner's copy of a locked cell defines.
NOT_RUN = "not run"


def explained(finding: Finding, notebook: NotebookNode, test: str) -> Finding:
    """A test's finding, its message extended by a cause that stands in another cell.

    Parameters
    ----------
    finding:
        What was found.
    notebook:
        The merged notebook, see :func:`nbjudge.intake.merge.merge`.
    test:
        The test's grade id.
    """
    says = finding.says
    if undefined := _UNDEFINED.search(says):
        if where := _where(undefined[1], notebook, test):
            return replace(finding, says=f"{says}\n{where}")
    elif _CUT_OFF in says and (switch := _switched_off(notebook.cells)):
        return replace(finding, says=switch)
    return finding


def _where(name: str, notebook: NotebookNode, test: str) -> str:
    """Where a name is defined that a test has found undefined; empty if nowhere."""
    locked = notebook.metadata.get("nbjudge", {}).get(NOT_RUN, {}).get(name)
    if locked:
        return (
            f"Your notebook defines `{name}` only in the cell `{locked}`, which is locked: the "
            "problem set's own copy is run, without your change. Define it in a cell of your own."
        )
    place = next((i for i, c in enumerate(notebook.cells) if cells.grade_id(c) == test), 0)
    for cell in notebook.cells[place + 1 :]:
        own = cell.cell_type == "code" and cells.is_learners(cell)
        if own and name in cell.source and name in bound(cell.source):
            return (
                f"`{name}` is defined in a cell further down. Cells run from top to bottom: move "
                "it above this exercise's tests."
            )
    return ""


def _switched_off(every: Sequence[NotebookNode]) -> str:
    """The message for a notebook that switches gradients off for good; empty if it does not."""
    for cell in every:
        if cell.cell_type != "code" or not cells.is_learners(cell):
            continue
        if "set_grad_enabled" not in cell.source:
            continue
        try:
            tree = ast.parse(cell.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and _is_switch(call):
                where = "your answer" if cells.is_answer(cell) else "a cell of your own"
                name = cells.grade_id(cell)
                return (
                    f"`{ast.unparse(call)}` in {where}{f' `{name}`' if name else ''} switches "
                    "gradients off for all that follows. Delete that line, or use "
                    "`with torch.no_grad():` where you need it."
                )
    return ""


def _is_switch(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    off = any(isinstance(value, ast.Constant) and value.value is False for value in given)
    return name == "set_grad_enabled" and off
