"""Assemble the notebook that a check runs: a learner's answers among the course's own cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge.course import root
from nbjudge.files import Unreadable, read_file
from nbjudge.intake import cells, enclosures
from nbjudge.intake.find import Parsed, parse
from nbjudge.intake.merge import merge
from nbjudge.intake.notes import Notes
from nbjudge.judge.names import names_of

#: Maximum number of kilobytes read from a file next to the notebook; a test may allow fewer.
MOST_KILOBYTES = 100_000


@dataclass
class Assembled:
    """A notebook that is ready to run.

    ``handed`` holds the learner's cells and ``notebook`` those to run. ``given`` is the notebook as
    it was released, ``source`` the instructor's if it is on this machine, and ``whole`` the one of
    these whose tests are run. ``release`` is the released file and ``course`` the course's folder;
    both are ``None`` if no release was found, and the learner's notebook is run as it is. ``notes``
    say what was noticed in merging, and ``files`` are those next to the notebook.
    """

    handed: Parsed
    notebook: NotebookNode
    given: NotebookNode
    whole: NotebookNode
    source: NotebookNode | None = None
    release: Path | None = None
    course: Path | None = None
    notes: Notes = field(default_factory=Notes)
    files: dict[str, bytes] = field(default_factory=dict)


def assemble(path: Path, course: Path | None, full: bool) -> Assembled:
    """The notebook to run for a learner's file, with the hidden tests if ``full``.

    Raises
    ------
    ValueError
        If the file is not a notebook or contains no tests of a problem set; if hidden tests are
        wanted, but are not on this machine.
    """
    try:
        handed = parse(read_file(path)[0])
    except Unreadable as error:
        raise ValueError(f"notebook is {str(path)!r}, but that file {error}.") from None
    course, release = _course_and_release(handed.cells, course, full)
    if release is not None and course is not None:
        assembled = _merged(handed, release, course, full)
    else:
        alone = _as_it_is(path)
        assembled = Assembled(handed, alone, alone, alone)
    if not any(cells.is_test(cell) for cell in assembled.notebook.cells):
        raise ValueError(
            f"notebook is {str(path)!r}, but it holds no tests: it must be a problem set, such "
            "as notebooks/assignments/PS/PS.ipynb."
        )
    assembled.files |= _enclosed(path.parent, assembled.notebook)
    return assembled


def _course_and_release(
    handed: list[NotebookNode], course: Path | None, full: bool
) -> tuple[Path | None, Path | None]:
    """The course's folder, if there is one, and the release in it that the notebook was made from.

    Both must be there if hidden tests are wanted.
    """
    release = None
    try:
        course = course or root()
        release = release_for(handed, course)
    except FileNotFoundError as error:
        if full:
            raise ValueError(f"The hidden tests are in the course's solutions/. {error}") from None
        course = None
    if full and release is None:
        raise ValueError(f"No problem set in {course} has the cells of this notebook.")
    return course, release


def release_for(handed: list[NotebookNode], course: Path) -> Path | None:
    """The release that a notebook was made from.

    It is the release with which the notebook shares the most grade ids or cell ids or, if an editor
    has dropped these, the text of the most locked cells. A graded cell must be among them: a lesson
    has a set-up too.
    """
    mine = {cells.grade_id(cell) or cell.id for cell in handed} - {"", cells.INSTALL, cells.POINTS}
    text = {cell.source.strip() for cell in handed}
    best, most = None, 0
    for path, released in _releases(course):
        shared = [
            cell
            for cell in released
            if cells.grade_id(cell) in mine
            or (cells.is_locked(cell) and cell.source.strip() in text)
        ]
        if len(shared) > most and any(cells.is_graded(cell) for cell in shared):
            best, most = path, len(shared)
    return best


def _releases(course: Path) -> list[tuple[Path, list[NotebookNode]]]:
    paths = sorted((course / "notebooks" / "assignments").glob("*/*.ipynb"))
    return [(path, _own(path).cells) for path in paths]


def _merged(handed: Parsed, release: Path, course: Path, full: bool) -> Assembled:
    """The learner's answers in the course's notebook, and the data files released with it."""
    source = _source_of(release, course)
    given = _own(release)
    if full and source is None:
        raise ValueError(
            f"The hidden tests of {release.stem} are not on this machine: there is no "
            f"solutions/{release.stem} in {course}."
        )
    whole = source if full and source is not None else given
    merged, notes = merge(handed.cells, whole, given, names=names_of(whole))
    files = {
        file.relative_to(release.parent).as_posix(): file.read_bytes()
        for file in release.parent.rglob("*")
        if file.is_file() and file.suffix != ".ipynb" and not file.name.startswith(".")
    }
    return Assembled(handed, merged, given, whole, source, release, course, notes, files)


def _source_of(release: Path, course: Path) -> NotebookNode | None:
    """The instructor's notebook that a release was made from, if it is on this machine."""
    path = course / "solutions" / release.stem / release.name
    return _own(path) if path.is_file() else None


def _own(path: Path) -> NotebookNode:
    """One of the course's own notebooks, which a test has validated."""
    return nbformat.v4.reads(path.read_text("utf-8"))


def _as_it_is(path: Path) -> NotebookNode:
    """The learner's notebook itself, if there is no course to take the tests from."""
    notebook = nbformat.v4.new_notebook()
    for index, raw in enumerate(nbformat.read(path, as_version=4).cells):
        if raw.cell_type in ("code", "markdown") and not cells.is_added(raw):
            make = nbformat.v4.new_code_cell
            if raw.cell_type == "markdown":
                make = nbformat.v4.new_markdown_cell
            about = {"nbgrader": cells.nbgrader(raw)} if cells.grade_id(raw) else {}
            notebook.cells.append(make(raw.source, id=f"cell-{index}", metadata=about))
    return notebook


def _enclosed(folder: Path, notebook: NotebookNode) -> dict[str, bytes]:
    """The files that are handed in with the notebook, with a generous size limit.

    Each missing one is replaced by an empty file: a test reports it, and a notebook that creates
    the file if it is missing does not do so here.
    """
    wanted = enclosures.declared(notebook)
    taken = enclosures.take(folder, dict.fromkeys(wanted, MOST_KILOBYTES))
    return dict.fromkeys(taken.refused, b"") | taken.files
