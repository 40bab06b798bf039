"""Fill notebooks with reference answers: a single one, or a class of any size."""

from __future__ import annotations

import random
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge.answers import load_variants
from nbjudge.intake import cells, enclosures
from nbjudge.intake.sources import release_folder, source_folder


def fill(notebook: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """A copy of the notebook with ``answers``, by grade id, in its answer cells.

    Raises
    ------
    ValueError
        If ``answers`` names something that is not an answer cell; the message lists those.
    """
    filled = nbformat.from_dict(dict(notebook))
    places = {cells.grade_id(cell): cell for cell in filled.cells if cells.is_answer(cell)}
    for exercise, source in answers.items():
        if exercise not in places:
            raise ValueError(
                f"answers names {exercise!r}, but the notebook's answer cells are: "
                f"{', '.join(places)}."
            )
        places[exercise].source = source
    return filled


def example_class(
    problem_set: str, course: Path, submitted: Path, count: int, seed: int = 0
) -> None:
    """Write a class of any size, reproducibly.

    Each learner's answers are drawn from the solution and the variants; about one in five is
    wrong. Files handed in with the notebook are the instructor's own.

    Parameters
    ----------
    problem_set:
        Its name.
    course:
        The course's folder.
    submitted:
        Where to write ``STUDENT/PS/PS.ipynb``.
    count:
        Number of learners, named ``s0000`` and so on.
    seed:
        The random seed.
    """
    folder, name = source_folder(problem_set, course), f"{problem_set}.ipynb"
    release = nbformat.read(release_folder(problem_set, course) / name, as_version=4)
    source = nbformat.read(folder / name, as_version=4)
    own = enclosures.own(folder, enclosures.declared(source))
    solution = {
        cells.grade_id(cell): cells.learners_own(cell.source)
        for cell in source.cells
        if cells.is_answer(cell) and cell.cell_type == "code"
    }
    known, draw = load_variants(folder), random.Random(seed)
    for number in range(count):
        answers = {}
        for exercise, source in solution.items():
            right = [source, *(v.source for v in known.get(exercise, []) if v.right)]
            wrong = [v.source for v in known.get(exercise, []) if not v.right] or right
            answers[exercise] = draw.choice(wrong if draw.random() < 0.2 else right)
        path = submitted / f"s{number:04}" / problem_set / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(nbformat.writes(fill(release, answers)), "utf-8")
        for enclosed, content in own.items():
            (path.parent / enclosed).write_bytes(content)
