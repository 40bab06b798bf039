"""Recognise the notebook of another problem set by the names of its cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from nbformat import NotebookNode

from nbjudge.course import problem_set_names, sources
from nbjudge.files import Unreadable, read_file
from nbjudge.intake import cells, find

#: A notebook with more than this share of a problem set's own names is one of that set.
ENOUGH = 0.5


def names_elsewhere(course: Path, notebook: str) -> dict[str, list[str]]:
    """The grade ids in each of the course's notebooks, by its name, but for ``notebook``.

    A notebook that cannot be read is left out: it is not the one to be graded.
    """
    elsewhere = {}
    for name in problem_set_names(course):
        for path in sorted((sources(course) / name).glob("*.ipynb")):
            if path.stem == notebook:
                continue
            try:
                every = find.parse(read_file(path)[0]).cells
            except Unreadable:
                continue
            if names := _names(every):
                elsewhere[path.stem] = sorted(names)
    return elsewhere


def other_set(
    handed: list[NotebookNode], own: list[NotebookNode], others: Mapping[str, Collection[str]]
) -> str:
    """The name of the other notebook that these cells come from; empty if they do not.

    Problem sets may share names, such as ``choices``, which say nothing. Of the names that only one
    of both has, the notebook must have more than half of the other's and less than half of its own.

    Parameters
    ----------
    handed, own:
        The learner's cells, and those of the notebook that was to be handed in.
    others:
        See :func:`names_elsewhere`.
    """
    names, mine = _names(handed), _names(own)
    shares: dict[str, float] = {}
    for name, grade_ids in others.items():
        theirs = set(grade_ids)
        if _share(names, mine - theirs) < ENOUGH:
            shares[name] = _share(names, theirs - mine)
    best = max(shares, key=lambda name: shares[name], default="")
    return best if best and shares[best] > ENOUGH else ""


def _names(every: list[NotebookNode]) -> set[str]:
    return {cells.grade_id(cell) for cell in every if not cells.is_added(cell)} - {""}


def _share(names: set[str], wanted: set[str]) -> float:
    return len(names & wanted) / len(wanted) if wanted else 0.0
