"""Judge a learner's own notebook by the visible tests, at their own desk."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from tfcourse.course import root
from tfcourse.grading import cells
from tfcourse.grading.execute import LimitedExecute, TidyOutputs, messages
from tfcourse.grading.intake import NotANotebook, merge, parse, read_bytes
from tfcourse.grading.release import quiet_log

#: What a test, or a written answer, can come to.
PASSED, PARTLY, FAILED, HIDDEN, BY_HAND = "passed", "partly", "failed", "hidden", "by hand"


@dataclass
class CheckedTest:
    """One line of the table. ``score`` is ``None`` for what this check cannot judge."""

    name: str
    verdict: str
    score: float | None
    points: float
    hint: str = ""


@dataclass
class Checked:
    """What a check found.

    ``hidden`` counts the tests that run only when the work is graded, ``hidden_points`` what they
    carry, and ``partly_hidden`` names the tests that also have a hidden half, where that is known.
    """

    tests: list[CheckedTest]
    flags: list[str] = field(default_factory=list)
    hidden: int = 0
    hidden_points: float = 0.0
    partly_hidden: list[str] = field(default_factory=list)
    from_course: bool = True

    @property
    def all_passed(self) -> bool:
        """Whether every test that could be run passed in full."""
        return all(test.verdict in (PASSED, HIDDEN, BY_HAND) for test in self.tests)


def release_for(handed: list[NotebookNode], course: Path) -> Path | None:
    """The release that a notebook was made from: the one that shares most grade ids with it."""
    mine = {cells.grade_id(cell) for cell in handed} - {""}
    best, most = None, 0
    for path in sorted((course / "notebooks" / "assignments").glob("*/*.ipynb")):
        names = {cells.grade_id(cell) for cell in nbformat.read(path, as_version=4).cells}
        if len(mine & names) > most:
            best, most = path, len(mine & names)
    return best


def check(notebook: Path, *, course: Path | None = None, cell_seconds: float = 30) -> Checked:
    """Run a learner's notebook and judge it by the visible tests.

    Where the course is there, its own test cells are run in place of the notebook's, as in grading;
    elsewhere the notebook's own.

    Parameters
    ----------
    notebook:
        The learner's file. It is not changed.
    course:
        The course's folder; looked for unless given.
    cell_seconds:
        How long a cell may take.

    Raises
    ------
    ValueError
        Where the file is no notebook, or has no tests of a problem set in it.
    """
    try:
        handed, _ = parse(read_bytes(Path(notebook)))
    except NotANotebook as error:
        raise ValueError(f"notebook is {str(notebook)!r}, but that file {error}.") from None
    release = None
    try:
        course = course or root()
        release = release_for(handed, course)
    except FileNotFoundError:
        course = None
    if release is not None:
        given = nbformat.read(release, as_version=4)
        merged, flags = merge(handed, given, given)
    else:
        merged, flags = nbformat.v4.new_notebook(), []
        for index, cell in enumerate(handed):
            make = nbformat.v4.new_code_cell
            if cell.cell_type == "markdown":
                make = nbformat.v4.new_markdown_cell
            merged.cells.append(make(cell.source, id=f"cell-{index}", metadata=cell.metadata))
    if not any(cells.is_test(cell) for cell in merged.cells):
        raise ValueError(
            f"notebook is {str(notebook)!r}, but it holds no tests: it must be a problem set, such "
            "as notebooks/assignments/PS/PS.ipynb."
        )
    _run(merged, cell_seconds, release.parent if release else None)
    found = _judged(merged)
    found.flags, found.from_course = flags, release is not None
    if release is not None:
        source = course / "solutions" / release.stem / release.name
        if source.is_file():
            whole = {test.name for test in found.tests if test.verdict == HIDDEN}
            found.partly_hidden = [
                cells.grade_id(cell)
                for cell in nbformat.read(source, as_version=4).cells
                if cells.is_test(cell)
                and cells.has_hidden_tests(cell.source)
                and cells.grade_id(cell) not in whole
            ]
    return found


def _run(notebook: NotebookNode, cell_seconds: float, data: Path | None) -> None:
    execute = LimitedExecute(
        cell_seconds=cell_seconds, submission_seconds=20 * cell_seconds, data=data
    )
    execute.log = quiet_log()
    before = os.environ.get("NBGRADER_EXECUTION")
    os.environ["NBGRADER_EXECUTION"] = "validate"
    try:
        execute.preprocess(notebook, {})
    finally:
        if before is None:
            del os.environ["NBGRADER_EXECUTION"]
        else:
            os.environ["NBGRADER_EXECUTION"] = before
    TidyOutputs().preprocess(notebook, {})


def _judged(notebook: NotebookNode) -> Checked:
    found, told = Checked([]), messages(notebook)
    for cell in notebook.cells:
        if not cells.is_graded(cell):
            continue
        name, points = cells.grade_id(cell), cells.points(cell)
        if not cells.is_test(cell):
            found.tests.append(CheckedTest(name, BY_HAND, None, points))
        elif cells.is_only_comments(cell.source):
            hint = cell.source.strip().lstrip("# ").splitlines()[0] if cell.source.strip() else ""
            found.tests.append(CheckedTest(name, HIDDEN, None, points, hint))
            found.hidden += 1
            found.hidden_points += points
        else:
            score, _ = determine_grade(cell, quiet_log())
            verdict = PASSED if score >= points else PARTLY if score > 0 else FAILED
            hint = "" if verdict == PASSED else told.get(name, "")
            found.tests.append(CheckedTest(name, verdict, score, points, hint))
    return found
