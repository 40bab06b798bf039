"""Finds the course's own files: chapters, problem sets, solutions, the book."""

from __future__ import annotations

import os
from pathlib import Path

#: The files that together mark the root of the course.
MARKS = ("_toc.yml", "nbgrader_config.py")


def _is_root(folder: Path) -> bool:
    return all((folder / mark).is_file() for mark in MARKS)


def root(start: str | Path | None = None) -> Path:
    """The folder that holds the course: ``_toc.yml``, ``notebooks/``, ``solutions/``, ``book/``.

    It is looked for in ``TFCOURSE_ROOT``, then in ``start`` (by default the current folder) and
    the folders above it, then beside the installed package.

    Raises
    ------
    FileNotFoundError
        If none of these holds the course; the message says what to do.
    """
    if named := os.environ.get("TFCOURSE_ROOT"):
        folder = Path(named).expanduser().resolve()
        if _is_root(folder):
            return folder
        raise FileNotFoundError(
            f"TFCOURSE_ROOT is {named!r}, but there is no {' and '.join(MARKS)} in it. "
            "Set it to the folder that the course was cloned to."
        )
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[1]):
        if _is_root(folder):
            return folder
    raise FileNotFoundError(
        f"No course found in {here} or above it. Run this inside a clone of the course, "
        "or set TFCOURSE_ROOT to the folder that holds one."
    )


def problem_set_names(course: Path) -> list[str]:
    """The course's problem sets, in order: ``["ps05-self-attention", ...]``."""
    return sorted(p.name for p in (course / "solutions").glob("ps*") if p.is_dir())


def chapter_paths(course: Path) -> list[Path]:
    """The chapters' notebooks, in order: ``[.../notebooks/05-self-attention.ipynb, ...]``."""
    return sorted((course / "notebooks").glob("[0-9][0-9]-*.ipynb"))


def evidence_paths(course: Path) -> list[Path]:
    """The evidence notebooks, in order: ``[.../notebooks/evidence/05-self-attention.ipynb, ...]``.

    Each is named after its lesson and holds the experiments that test the lectures' claims.
    """
    return sorted((course / "notebooks" / "evidence").glob("[0-9][0-9]-*.ipynb"))
