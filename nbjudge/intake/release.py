"""Generate the learners' notebook from the instructor's.

It uses nbgrader's own converter, and the same input always gives the same bytes.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
from nbformat import NotebookNode
from traitlets.config import Config, PyFileConfigLoader

from nbjudge.answers import ACCEPTS, holds_answers, known_answers, load_variants
from nbjudge.course import RELEASE, SOLUTIONS, problem_set_names, sources
from nbjudge.files import own_files, write_whole
from nbjudge.inside.messages import Malformed, from_json, to_json
from nbjudge.inside.program import program
from nbjudge.intake import cells, enclosures
from nbjudge.intake.first_cell import put_first
from nbjudge.intake.last_cell import go_on_to_the_end
from nbjudge.judge import weighing
from nbjudge.judge.believed import Weights
from nbjudge.judge.messages import KnownAnswers
from nbjudge.store.digests import versions

if TYPE_CHECKING:
    from nbjudge.inside.testing.recall import Table

#: Notebook metadata, the same on every machine: kernel details are not part of the content.
METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}

#: Patterns that are skipped when a problem set's folder is copied.
NOT_COPIED = (".ipynb_checkpoints", "__pycache__", "*.pyc", ".*")


#: The suffix of a file with tables: see :mod:`nbjudge.inside.testing.recall`.
TABLES = ".jsonl"


class _Listener(logging.Handler):
    """Collects log messages."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def source_folder(problem_set: str, course: Path) -> Path:
    """The folder of the instructor's notebooks, such as ``solutions/PS``.

    Raises
    ------
    ValueError
        If the course has no such problem set; the message lists the existing ones.
    """
    known = problem_set_names(course)
    if problem_set not in known:
        raise ValueError(
            f"problem_set is {problem_set!r}, but it must be one of: "
            f"{', '.join(known) or f'none yet, {sources(course).name}/ is empty'}."
        )
    folder = sources(course) / problem_set
    if not notebooks_in(folder):
        raise ValueError(
            f"problem_set is {problem_set!r}, but {folder.parent.name}/{problem_set} holds no "
            f"{problem_set}.ipynb."
        )
    return folder


def notebooks_in(folder: Path) -> list[str]:
    """The names of a problem set's notebooks, without their extension.

    Only ``PS`` if the folder ``PS`` has a notebook of that name; otherwise all that are there.
    """
    if (folder / f"{folder.name}.ipynb").is_file():
        return [folder.name]
    return sorted(path.stem for path in folder.glob("[!.]*.ipynb"))


def _of_one_notebook(problem_set: str, course: Path) -> None:
    names = notebooks_in(source_folder(problem_set, course))
    if names != [problem_set]:
        raise ValueError(
            f"{problem_set} consists of {', '.join(f'{name}.ipynb' for name in names)}, and only a "
            f"set of one notebook, {problem_set}.ipynb, is released by this command: use "
            f"`nbgrader generate_assignment {problem_set}`. Collecting and grading work with it."
        )


def graded_files(problem_set: str, course: Path) -> dict[str, dict[str, int]]:
    """A problem set's notebooks, each with the files accepted with it and their kilobytes."""
    folder = source_folder(problem_set, course)
    return {
        name: enclosures.declared(nbformat.read(folder / f"{name}.ipynb", as_version=4))
        for name in notebooks_in(folder)
    }


def course_config(course: Path) -> Config:
    """The settings in the course's ``nbgrader_config.py``."""
    return PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()


@cache
def quiet_log() -> logging.Logger:
    """A logger that is silent until it gets a handler: nbgrader logs a lot."""
    log = logging.getLogger("nbjudge")
    log.propagate = False
    log.setLevel(logging.INFO)
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    return log


@contextmanager
def own_programs_first() -> Iterator[None]:
    """Make nbgrader, which runs ``alembic`` by name, find the running Python's own."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def generate(problem_set: str, config: Config) -> None:
    """Run nbgrader's ``generate_assignment`` for one problem set of the course in ``config``.

    Raises
    ------
    ValueError
        If nbgrader rejects the notebook; the message says why.
    """
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory

    log, listener = quiet_log(), _Listener(logging.ERROR)
    log.addHandler(listener)
    folder = CourseDirectory(config=config, log=log)
    folder.assignment_id = problem_set
    try:
        with own_programs_first():
            GenerateAssignment(coursedir=folder, config=config, log=log, force=True).start()
    except NbGraderException:
        reasons = [
            text.strip().splitlines()[-1] for text in listener.messages if "Traceback" in text
        ]
        raise ValueError(
            f"problem_set is {problem_set!r}, but nbgrader rejects its notebook: "
            f"{reasons[-1] if reasons else ' '.join(listener.messages)}"
        ) from None
    finally:
        log.removeHandler(listener)


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


def release_folder(problem_set: str, course: Path) -> Path:
    """The folder of the learners' files of a problem set in the course."""
    stored = course / "notebooks" / "assignments"
    return (stored if sources(course).name == SOLUTIONS else course / RELEASE) / problem_set


def tables_of(problem_set: str, course: Path) -> dict[str, Table]:
    """What the known wrong answers of a problem set return in its visible tests, by grade id.

    Raises
    ------
    ValueError
        If the instructor's own answer does not pass one of these tests.
    """
    # This loads what the course's values need, which nothing else here does.
    from nbjudge.judge.known import Known

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


def table_file(problem_set: str, course: Path) -> Path | None:
    """Where the result of :func:`tables_of` is stored; ``None`` if this copy has no such folder.

    See ``wrong_results`` of :class:`nbjudge.inside.program.Program`.
    """
    place = program().wrong_results
    folder = course / place if place else release_folder(problem_set, course)
    return folder / f"{problem_set}{TABLES}" if not place or folder.is_dir() else None


def known_of(problem_set: str, course: Path) -> KnownAnswers:
    """A problem set's wrong answers, with what a release has stored; empty if none is known."""
    folder = source_folder(problem_set, course)
    path, table = folder / f"{problem_set}.ipynb", table_file(problem_set, course)
    variants = load_variants(folder) if path.is_file() else {}
    if not any(variant.says for every in variants.values() for variant in every):
        return KnownAnswers()
    stored = table.read_bytes() if table is not None and table.is_file() else b""
    return known_answers(nbformat.read(path, as_version=4), variants, stored)


def stored_weights(problem_set: str, course: Path) -> Weights | None:
    """What :func:`weighed` found when the problem set was released; ``None`` if nothing is stored.

    Raises
    ------
    ValueError
        If the file holds something else; the message names it.
    """
    path = source_folder(problem_set, course) / ACCEPTS
    if not path.is_file():
        return None
    try:
        return from_json(path.read_text("utf-8"), Weights)
    except Malformed as error:
        raise ValueError(f"{path} must be as `release` writes it: {error}") from None


def weighed(problem_set: str, course: Path, notebook: NotebookNode) -> Weights:
    """Which of an instructor's tests accept an answer that computes nothing.

    Raises
    ------
    ValueError
        If someone who computes nothing would get points: see :func:`nbjudge.judge.weighing.refuse`.
    """
    folder = source_folder(problem_set, course)
    steps = weighing.steps_of(notebook, folder)
    believed_by = weighing.weigh(steps, folder)
    weighing.refuse(problem_set, believed_by, [cell.test for cell in steps.cells if cell.test])
    accepts = {test: believed.lie for test, believed in believed_by.items()}
    return Weights(of=weighing.digest(steps), accepts=accepts)


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
        from nbjudge.inside.testing.recall import pack

        # A table that says the same stays as it is, so that a diff shows what has changed.
        kept = {test: stored[test] if stored.get(test) == t else t for test, t in tables.items()}
        write_whole(path, pack(kept))


def _stored_tables(path: Path | None) -> dict[str, Table]:
    if path is None or not path.is_file():
        return {}
    from nbjudge.inside.testing.recall import unpack
    from nbjudge.inside.wire import WireError

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


def copy_source(problem_set: str, course: Path, into: Path) -> None:
    """Copy ``solutions/PS`` without its reference answers to ``into``, which is recreated.

    The loose files next to the problem sets are copied too.

    No learner and no kernel gets the reference answers.
    """
    ignored = shutil.ignore_patterns(*NOT_COPIED)

    def left_out(folder: str, names: list[str]) -> set[str]:
        return ignored(folder, names) | {n for n in names if holds_answers(Path(folder) / n)}

    if into.exists():
        shutil.rmtree(into)
    shutil.copytree(source_folder(problem_set, course), into, ignore=left_out)
    for path in loose_files(course):
        shutil.copy(path, into.parent / path.name)


def loose_files(course: Path) -> list[Path]:
    """The files next to the problem sets, such as the header that nbgrader adds to each."""
    there = sorted(sources(course).iterdir())
    return [path for path in there if path.is_file() and not path.name.startswith(".")]
