"""From the instructor's notebook to the learners'.

nbgrader's own converter, with the same bytes each time.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import nbformat
from traitlets.config import Config, PyFileConfigLoader

from nbjudge import cells, enclosures
from nbjudge.answers import holds_answers
from nbjudge.course import RELEASE, SOLUTIONS, problem_set_names, sources
from nbjudge.first_cell import put_first

#: The same on every machine: what a notebook says about its kernel is no part of its text.
METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}

#: Left out wherever a problem set's folder is copied.
NOT_COPIED = (".ipynb_checkpoints", "__pycache__", "*.pyc", ".*")


class _Listener(logging.Handler):
    """Keeps what is logged."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def source_folder(problem_set: str, course: Path) -> Path:
    """The folder of the instructor's notebooks, such as ``solutions/PS``.

    Raises
    ------
    ValueError
        If the course has no such problem set; the message lists those that it has.
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
    """The names of a problem set's notebooks, without their ending.

    ``PS`` alone if the folder ``PS`` has a notebook of its own name; else all that are there.
    """
    if (folder / f"{folder.name}.ipynb").is_file():
        return [folder.name]
    return sorted(path.stem for path in folder.glob("[!.]*.ipynb"))


def course_config(course: Path) -> Config:
    """What the course's ``nbgrader_config.py`` says."""
    return PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()


@cache
def quiet_log() -> logging.Logger:
    """A log that goes nowhere until a handler is given to it: nbgrader writes much."""
    log = logging.getLogger("nbjudge")
    log.propagate = False
    log.setLevel(logging.INFO)
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    return log


@contextmanager
def own_programs_first():
    """nbgrader calls ``alembic`` by name: let it be the one beside the running Python."""
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
        If nbgrader refuses the notebook; the message says why.
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
        reasons = [text.strip().splitlines()[-1] for text in listener.said if "Traceback" in text]
        raise ValueError(
            f"problem_set is {problem_set!r}, but nbgrader refuses its notebook: "
            f"{reasons[-1] if reasons else ' '.join(listener.said)}"
        ) from None
    finally:
        log.removeHandler(listener)


def normalised(path: Path, course: Path | None = None) -> bytes:
    """The notebook's bytes with the same metadata, order and line ends on every machine.

    With the cell that installs the course, if it is given.
    """
    notebook = nbformat.read(path, as_version=4)
    if course is not None:
        put_first(notebook, course, graded=True)
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return (nbformat.writes(notebook).rstrip("\n") + "\n").encode()


def release_files(problem_set: str, course: Path) -> dict[str, bytes]:
    """The learners' files of a problem set, by their path in its folder, without writing them.

    Raises
    ------
    ValueError
        If the problem set is not there, or where something that only instructors may see
        would be left in the release.
    """
    source_folder(problem_set, course)
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
            "each such region must stand, begun and ended, in a cell of the right kind."
        )
    return files


def release_folder(problem_set: str, course: Path) -> Path:
    """Where the course keeps the learners' files of a problem set."""
    stored = course / "notebooks" / "assignments"
    return (stored if sources(course).name == SOLUTIONS else course / RELEASE) / problem_set


def is_current(problem_set: str, course: Path) -> bool:
    """Whether the stored release is what the instructor's notebook gives now."""
    folder = release_folder(problem_set, course)
    stored = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }
    return stored == release_files(problem_set, course)


def make_release(problem_set: str, course: Path) -> Path:
    """Make the learners' notebook from the instructor's and store it in ``notebooks/assignments``.

    Returns the release's notebook. A file whose bytes would not change is not touched.

    Raises
    ------
    ValueError
        As :func:`release_files` does.
    """
    files = release_files(problem_set, course)
    folder = release_folder(problem_set, course)
    if folder.is_dir():
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.relative_to(folder).as_posix() not in files:
                path.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return folder / f"{problem_set}.ipynb"


def copy_source(problem_set: str, course: Path, into: Path) -> None:
    """Copy ``solutions/PS`` without its known answers to the folder ``into``, which is made anew.

    With it goes what lies beside the problem sets.

    No learner and no kernel gets these.
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
    """What lies beside the problem sets, such as the header that nbgrader puts before each."""
    there = sorted(sources(course).iterdir())
    return [path for path in there if path.is_file() and not path.name.startswith(".")]
