"""An instructor's problem sets: their notebooks, their settings, and what a release stored."""

from __future__ import annotations

import logging
import shutil
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from traitlets.config import Config, PyFileConfigLoader

from nbjudge.answers import ACCEPTS, holds_answers, known_answers, load_variants
from nbjudge.course import RELEASE, SOLUTIONS, problem_set_names, sources
from nbjudge.inside.messages import Malformed, from_json
from nbjudge.inside.program import program
from nbjudge.intake import enclosures
from nbjudge.judge import weighing
from nbjudge.judge.believed import Weights
from nbjudge.judge.messages import KnownAnswers

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


def release_folder(problem_set: str, course: Path) -> Path:
    """The folder of the learners' files of a problem set in the course."""
    stored = course / "notebooks" / "assignments"
    return (stored if sources(course).name == SOLUTIONS else course / RELEASE) / problem_set


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
