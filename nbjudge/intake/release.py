"""Generate the learners' notebook from the instructor's.

It uses nbgrader's own converter, and the same input always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import nbformat

from nbjudge.answers import ACCEPTS, holds_answers
from nbjudge.files import own_files, write_whole
from nbjudge.inside.messages import to_json
from nbjudge.inside.program import program
from nbjudge.inside.testing.recall import Table, pack, unpack
from nbjudge.inside.wire import WireError
from nbjudge.intake import cells, enclosures
from nbjudge.intake.converting import generate
from nbjudge.intake.first_cell import put_first
from nbjudge.intake.last_cell import go_on_to_the_end
from nbjudge.intake.sources import (
    METADATA,
    course_config,
    known_of,
    loose_files,
    notebooks_in,
    release_folder,
    source_folder,
    stored_weights,
    table_file,
    weighed,
)
from nbjudge.judge import weighing
from nbjudge.judge.known import Known
from nbjudge.store.digests import versions


def _of_one_notebook(problem_set: str, course: Path) -> None:
    names = notebooks_in(source_folder(problem_set, course))
    if names != [problem_set]:
        raise ValueError(
            f"{problem_set} consists of {', '.join(f'{name}.ipynb' for name in names)}, and only a "
            f"set of one notebook, {problem_set}.ipynb, is released by this command: use "
            f"`nbgrader generate_assignment {problem_set}`. Collecting and grading work with it."
        )


def normalised(path: Path, course: Path | None = None) -> bytes:
    """The notebook's bytes with the same metadata, order and line endings on every machine.

    If ``course`` is given, the cells of :mod:`.first_cell` and :mod:`.last_cell` are added.
    """
    notebook = nbformat.read(path, as_version=4)
    if course is not None:
        put_first(notebook, course, graded=True)
        go_on_to_the_end(notebook)
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return (nbformat.writes(notebook).rstrip("\n") + "\n").encode()


def release_files(problem_set: str, course: Path) -> dict[str, bytes]:
    """The learners' files of a problem set, by their path in its folder, without writing them.

    Raises
    ------
    ValueError
        If the problem set does not exist, or if the release would contain something that only
        instructors may see.
    """
    _of_one_notebook(problem_set, course)
    with tempfile.TemporaryDirectory() as temporary:
        config = course_config(course)
        config.CourseDirectory.root = str(course)
        config.CourseDirectory.release_directory = temporary
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        generate(problem_set, config)
        made = Path(temporary) / problem_set
        taken = enclosures.declared(nbformat.read(made / f"{problem_set}.ipynb", as_version=4))
        files = {
            path.relative_to(made).as_posix(): normalised(
                path, course if path.name == f"{problem_set}.ipynb" else None
            )
            if path.suffix == ".ipynb"
            else path.read_bytes()
            for path in sorted(made.rglob("*"))
            if path.is_file() and not holds_answers(path) and path.name not in taken
        }
    text = files[f"{problem_set}.ipynb"].decode().upper()
    if left := [mark for mark in cells.INSTRUCTORS_ONLY if mark in text]:
        raise ValueError(
            f"problem_set {problem_set!r} would be released with {', '.join(left)} in it: "
            "each such region must begin and end in the same cell, of the right kind."
        )
    return files


def tables_of(problem_set: str, course: Path) -> dict[str, Table]:
    """What the known wrong answers of a problem set return in its visible tests, by grade id.

    Raises
    ------
    ValueError
        If the instructor's own answer does not pass one of these tests.
    """
    answers = known_of(problem_set, course)
    if not answers.wrong:
        return {}
    notebook = nbformat.read(
        source_folder(problem_set, course) / f"{problem_set}.ipynb", as_version=4
    )
    known = Known(answers)
    tables = {}
    for cell in filter(cells.is_test, notebook.cells):
        test, shown = cells.grade_id(cell), cells.without_hidden_tests(cell.source, "")
        # What no answer passes would also tell no wrong answers apart.
        if why := known.own_error(test, shown):
            raise ValueError(
                f"problem_set {problem_set!r}: the instructor's own answer fails what is shown of "
                f"{test} ({why}). Correct the answer or the test."
            )
        tables[test] = known.table(test, shown).for_file()
    return {test: table for test, table in tables.items() if table}


def _is_weighed(problem_set: str, course: Path) -> bool:
    """Whether the stored weights are those of the current notebook."""
    folder = source_folder(problem_set, course)
    notebook = nbformat.read(folder / f"{problem_set}.ipynb", as_version=4)
    now = weighing.digest(weighing.steps_of(notebook, folder))
    stored = stored_weights(problem_set, course)
    return stored is not None and stored.of == now


def _weigh(problem_set: str, course: Path) -> None:
    """Weigh a problem set's tests and store the result, unless they have not changed since."""
    folder = source_folder(problem_set, course)
    if not _is_weighed(problem_set, course):
        notebook = nbformat.read(folder / f"{problem_set}.ipynb", as_version=4)
        weights = weighed(problem_set, course, notebook)
        write_whole(folder / ACCEPTS, to_json(weights, indent=1, ascii=False) + "\n")


def _write_table(problem_set: str, course: Path) -> None:
    path = table_file(problem_set, course)
    if path is None:
        return
    tables, stored = tables_of(problem_set, course), _stored_tables(path)
    if not tables:
        path.unlink(missing_ok=True)
    elif stored != tables:  # not by bytes: rounding differs between processors
        # A table that says the same stays as it is, so that a diff shows what has changed.
        kept = {test: stored[test] if stored.get(test) == t else t for test, t in tables.items()}
        write_whole(path, pack(kept))


def _stored_tables(path: Path | None) -> dict[str, Table]:
    if path is None or not path.is_file():
        return {}
    try:
        return unpack(path.read_bytes())
    except WireError:  # of another version
        return {}


def is_current(problem_set: str, course: Path) -> bool:
    """Whether the stored release matches the instructor's current notebook and known answers."""
    _of_one_notebook(problem_set, course)
    folder = release_folder(problem_set, course)
    stored = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }
    path = table_file(problem_set, course)
    if path is not None:
        stored.pop(path.name, None)
        if _stored_tables(path) != tables_of(problem_set, course):
            return False
    return _is_weighed(problem_set, course) and stored == release_files(problem_set, course)


def state(problem_set: str, course: Path) -> str:
    """SHA-256 of a release and of all that it is made from.

    While it stays the same, so does what :func:`is_current` says, which takes seconds to find out.
    """
    packages = (*program().folders(), *program().folders(tests_own=True))
    paths = [*own_files("*.py"), *(path for package in packages for path in package.rglob("*.py"))]
    for folder in (source_folder(problem_set, course), release_folder(problem_set, course)):
        paths += [path for path in folder.rglob("*") if "__pycache__" not in path.parts]
    paths += [*loose_files(course), course / "nbgrader_config.py", course / "_config.yml"]
    paths += [path for path in (table_file(problem_set, course),) if path is not None]
    total = hashlib.sha256(repr(sorted(versions().items())).encode())
    for path in sorted(path for path in paths if path.is_file()):
        content = path.read_bytes()
        total.update(f"{path}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def make_release(problem_set: str, course: Path) -> Path:
    """Generate the learners' files and store them in :func:`release_folder`.

    Which tests accept an answer that computes nothing is stored beside the instructor's notebook,
    and what known wrong answers return in the visible tests, if the course keeps it.
    Returns the path of the released notebook. Unchanged files are not touched.

    Raises
    ------
    ValueError
        As in :func:`release_files` and :func:`weighed`.
    """
    files = release_files(problem_set, course)
    _weigh(problem_set, course)
    folder = release_folder(problem_set, course)
    kept = {folder / name for name in files} | {table_file(problem_set, course)}
    if folder.is_dir():
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path not in kept:
                path.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    _write_table(problem_set, course)
    return folder / f"{problem_set}.ipynb"


def stored_files(problem_set: str, course: Path) -> dict[Path, bytes]:
    """What :func:`make_release` has written for a problem set, by path."""
    accepts, table = source_folder(problem_set, course) / ACCEPTS, table_file(problem_set, course)
    paths = [accepts, *sorted(release_folder(problem_set, course).rglob("*"))]
    paths += [table] if table is not None else []
    return {path: path.read_bytes() for path in paths if path.is_file()}
