"""Find the course's folder and the problem sets in it."""

from __future__ import annotations

import os
from pathlib import Path

from nbjudge.inside.program import VARIABLE, program

#: These mark the root of a course: nbgrader's settings, and the instructor's notebooks or, in a
#: learner's copy, the released ones.
SETTINGS, SOLUTIONS, RELEASED = "nbgrader_config.py", "solutions", "notebooks/assignments"

#: Default name of the learner's folder in the course's folder. Git ignores it.
WORK = "work"

#: nbgrader's own folders for the instructor's notebooks and for the released ones.
SOURCE, RELEASE = "source", "release"


def is_root(folder: Path) -> bool:
    """Whether a folder holds a course."""
    return (folder / SETTINGS).is_file() and (
        (folder / SOLUTIONS).is_dir()
        or (folder / RELEASED).is_dir()
        or ((folder / SOURCE).is_dir() and not _is_graded(folder))
    )


def _is_graded(folder: Path) -> bool:
    """Whether this is a folder of graded work, which has copies of the instructor's notebooks."""
    return (folder / "ledger.db").is_file()


def sources(course: Path) -> Path:
    """The folder of the instructor's notebooks: ``solutions``, or nbgrader's ``source``."""
    own, plain = course / SOLUTIONS, course / SOURCE
    return plain if plain.is_dir() and not own.is_dir() else own


def root(start: str | Path | None = None) -> Path:
    """The folder that holds the course: ``nbgrader_config.py`` and the problem sets.

    The latter are in ``solutions/`` or ``source/`` or, for learners, in ``notebooks/assignments/``.
    The search covers the option ``--course``, the environment variable ``COMMAND_ROOT`` (with the
    command's name in capitals), ``start`` (by default the current folder) and its parents, and the
    folder that holds the course's own packages.

    Raises
    ------
    FileNotFoundError
        If none of these holds a course; the message says what to do.
    """
    asked = os.environ.get(VARIABLE)
    if asked and is_root(Path(asked)):
        return Path(asked)
    variable = program().variable("ROOT")
    if named := os.environ.get(variable):
        folder = Path(named).expanduser().resolve()
        if is_root(folder):
            return folder
        raise FileNotFoundError(
            f"{variable} is {named!r}, but that folder has no {SETTINGS} and {SOLUTIONS}/. "
            "Set it to the folder that the course was cloned to."
        )
    here = Path(start or Path.cwd()).resolve()
    beside = (folder.parent for folder in program().folders())
    for folder in (here, *here.parents, *beside):
        if is_root(folder):
            return folder
    raise FileNotFoundError(
        f"No course found in {here} or above it. Run this in the course's folder, name it with "
        f"--course, or set {variable} to it."
    )


def problem_set_names(course: Path) -> list[str]:
    """The course's problem sets, sorted: the folders in :func:`sources`."""
    folders = (path for path in sources(course).glob("[!._]*") if path.is_dir())
    return sorted(path.name for path in folders)


def whole_name(given: str, known: list[str]) -> str:
    """A problem set's name, which may be given by its beginning if only one begins so."""
    matching = [name for name in known if name.startswith(given)]
    return matching[0] if len(matching) == 1 else given


def in_full(given: str, course: Path | None = None) -> str:
    """The name of one of the course's problem sets, which may be given by its beginning."""
    return whole_name(given, problem_set_names(course or root()))
