"""Judge a learner's own notebook by the visible tests, at their own desk."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tfcourse.course import root
from tfcourse.grading import cells, sandbox
from tfcourse.grading.intake import NotANotebook, parse, read_file
from tfcourse.grading.judge import Job, Judged, Limits, judge, names_of
from tfcourse.grading.judging import names
from tfcourse.grading.merge import merge

#: What a test can come to; and what an answer can that is judged only when work is graded.
PASSED, PARTLY, FAILED, HIDDEN = "passed", "partly", "failed", "hidden"
ANSWERED, BY_HAND, NOT_WRITTEN = "answered", "by hand", "not written yet"

#: What nbgrader gives out in place of a written answer, unless it is told otherwise.
WRITTEN_STUB = "YOUR ANSWER HERE"

#: What a test of choices says in place of points.
JUDGED_LATER = "Whether each answer is right is judged when your work is graded."


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
    ``sandboxed`` tells whether it ran in a sandbox, as grading does.
    """

    tests: list[CheckedTest]
    flags: list[str] = field(default_factory=list)
    hidden: int = 0
    hidden_points: float = 0.0
    partly_hidden: list[str] = field(default_factory=list)
    from_course: bool = True
    sandboxed: bool = True

    @property
    def all_passed(self) -> bool:
        """Whether every test that could be run passed in full."""
        return not any(test.verdict in (PARTLY, FAILED) for test in self.tests)


def release_for(handed: list[NotebookNode], course: Path) -> Path | None:
    """The release that a notebook was made from: the one that shares most grade ids with it."""
    mine = {cells.grade_id(cell) for cell in handed} - {""}
    best, most = None, 0
    for path in sorted((course / "notebooks" / "assignments").glob("*/*.ipynb")):
        names = {cells.grade_id(cell) for cell in nbformat.read(path, as_version=4).cells}
        if len(mine & names) > most:
            best, most = path, len(mine & names)
    return best


def check(
    notebook: Path, *, course: Path | None = None, cell_seconds: float | None = None
) -> Checked:
    """Run a learner's notebook and judge it by the visible tests, as grading would.

    Where the course is there, its own test cells are run in place of the notebook's, as in grading;
    elsewhere the notebook's own. It runs in a sandbox where this machine has one; else as in
    Jupyter, since it is the learner's own code on the learner's own machine.

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
        handed = parse(read_file(Path(notebook))[0])
    except NotANotebook as error:
        raise ValueError(f"notebook is {str(notebook)!r}, but that file {error}.") from None
    release = None
    try:
        course = course or root()
        release = release_for(handed.cells, course)
    except FileNotFoundError:
        course = None
    if release is not None:
        given = nbformat.read(release, as_version=4)
        merged, flags = merge(handed.cells, given, given)
        files = {
            str(path.relative_to(release.parent)): path.read_bytes()
            for path in release.parent.rglob("*")
            if path.is_file() and path.suffix != ".ipynb" and not path.name.startswith(".")
        }
    else:
        merged, flags, files = _as_it_is(Path(notebook)), [], {}
        given = merged
    if not any(cells.is_test(cell) for cell in merged.cells):
        raise ValueError(
            f"notebook is {str(notebook)!r}, but it holds no tests: it must be a problem set, such "
            "as notebooks/assignments/PS/PS.ipynb."
        )
    sandboxed = sandbox.status().works
    limits = Limits()
    if cell_seconds is not None:
        limits = replace(limits, cell_seconds=cell_seconds)
    job = Job(
        student="",
        notebook=nbformat.writes(merged).encode(),
        seed=secrets.randbits(62),
        limits=limits,
        files=files,
        names=names_of(given),
    )
    with sandbox.Nursery(sandboxed=sandboxed) as nursery:
        judged = judge(job, nursery)
    found = _judged(merged, judged, given)
    found.flags, found.from_course = handed.flags + flags + judged.flags, release is not None
    found.sandboxed = sandboxed
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


def _as_it_is(path: Path) -> NotebookNode:
    """The learner's notebook itself, for where there is no course to take the tests from."""
    notebook = nbformat.v4.new_notebook()
    for index, raw in enumerate(nbformat.read(path, as_version=4).cells):
        if raw.cell_type in ("code", "markdown"):
            make = nbformat.v4.new_code_cell
            if raw.cell_type == "markdown":
                make = nbformat.v4.new_markdown_cell
            about = {"nbgrader": cells.nbgrader(raw)} if cells.grade_id(raw) else {}
            notebook.cells.append(make(raw.source, id=f"cell-{index}", metadata=about))
    return notebook


def _judged(notebook: NotebookNode, judged: Judged, given: NotebookNode) -> Checked:
    """The table's lines; ``given`` is the notebook as it was given out."""
    found = Checked([])
    stubs = {}
    if given is not notebook:
        stubs = {cells.grade_id(cell): cell.source.strip() for cell in given.cells}
    for cell in notebook.cells:
        if not cells.is_graded(cell):
            continue
        name, points = cells.grade_id(cell), cells.points(cell)
        if not cells.is_test(cell):
            written = cell.source.strip() not in ("", WRITTEN_STUB, stubs.get(name))
            found.tests.append(CheckedTest(name, BY_HAND if written else NOT_WRITTEN, None, points))
        elif cells.is_only_comments(cell.source):
            hint = cell.source.strip().lstrip("# ").splitlines()[0] if cell.source.strip() else ""
            found.tests.append(CheckedTest(name, HIDDEN, None, points, hint))
            found.hidden += 1
            found.hidden_points += points
        else:
            test = judged.tests[name]
            score = test["score"]
            verdict = PASSED if score >= points else PARTLY if score > 0 else FAILED
            hint = "" if verdict == PASSED else test["message"]
            if "answered" in names.used(cell.source):  # that there are answers says nothing of them
                score = None
                if verdict == PASSED:
                    verdict, hint = ANSWERED, JUDGED_LATER
            found.tests.append(CheckedTest(name, verdict, score, points, hint))
    return found
