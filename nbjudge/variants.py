"""Answers kept beside a problem set to judge its grader.

Right ones look different, and wrong ones must each lose the tests aimed at them.

A variant is a file ``solutions/PS/variants/PIECE/NAME.py``: the source of the answer cell, headed
by comment lines ::

    # wrong: divides by d_k instead of its square root
    # loses: scaling--values scaling--variance
    # told: divided by d_k

or, for a right one, ``# right: einsum instead of matmul`` alone. ``told`` is a regular expression,
in any case of letters, for the message of at least one of the tests that it loses.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge import cells

HEADINGS = ("right", "wrong", "loses", "told")


@dataclass(frozen=True)
class Variant:
    """One answer to one piece: ``about`` says what it does, ``loses`` the tests it must lose."""

    piece: str
    name: str
    right: bool
    about: str
    source: str
    loses: tuple[str, ...] = ()
    told: str = ""


def read_variant(path: Path) -> Variant:
    """Read one variant.

    Raises
    ------
    ValueError
        If the heading is incomplete: the message names the file and what it must say.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    heading: dict[str, str] = {}
    while lines and (found := re.fullmatch(r"#\s*(\w+):\s*(.+)", lines[0])):
        if found.group(1) not in HEADINGS:
            break
        heading[found.group(1)] = found.group(2).strip()
        lines.pop(0)
    if ("right" in heading) == ("wrong" in heading):
        raise ValueError(f"{path} must begin with either `# right: …` or `# wrong: …`.")
    right = "right" in heading
    if right and ("loses" in heading or "told" in heading):
        raise ValueError(f"{path} is a right variant, so it must not say `loses` or `told`.")
    if not right and not ("loses" in heading and "told" in heading):
        raise ValueError(
            f"{path} is a wrong variant, so it must say `# loses: TEST …` and `# told: REGEX`."
        )
    try:
        re.compile(heading.get("told", ""))
    except re.error as error:
        raise ValueError(f"{path}: told must be a regular expression ({error}).") from None
    return Variant(
        piece=path.parent.name,
        name=path.stem,
        right=right,
        about=heading["right" if right else "wrong"],
        source="\n".join(lines).strip("\n"),
        loses=tuple(heading.get("loses", "").split()),
        told=heading.get("told", ""),
    )


def load_variants(problem_set_folder: Path) -> dict[str, list[Variant]]:
    """All variants of a problem set by piece, in order of their names.

    Parameters
    ----------
    problem_set_folder:
        ``solutions/PS``.

    Raises
    ------
    ValueError
        If a variant's heading is incomplete.
    """
    found: dict[str, list[Variant]] = {}
    for path in sorted((Path(problem_set_folder) / "variants").glob("*/*.py")):
        found.setdefault(path.parent.name, []).append(read_variant(path))
    return found


def fill(notebook: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """A copy of the notebook with sources put into its answer cells, by their grade id.

    Raises
    ------
    ValueError
        If ``answers`` names something that is no answer cell; the message lists those that are.
    """
    filled = nbformat.from_dict(dict(notebook))
    places = {cells.grade_id(cell): cell for cell in filled.cells if cells.is_answer(cell)}
    for piece, source in answers.items():
        if piece not in places:
            raise ValueError(
                f"answers names {piece!r}, but the notebook's answer cells are: "
                f"{', '.join(places)}."
            )
        places[piece].source = source
    return filled


def example_class(
    problem_set: str, course: Path, submitted: Path, count: int, seed: int = 0
) -> None:
    """Write a class of any size, the same each time.

    Each learner's answers are drawn from the solution and the variants, and only now and then a
    wrong one.

    Parameters
    ----------
    problem_set:
        Its name.
    course:
        The course's folder.
    submitted:
        Where to write ``STUDENT/PS/PS.ipynb``.
    count:
        How many learners: ``s0000`` and so on.
    seed:
        What is drawn from.
    """
    from nbjudge.release import release_folder, source_folder

    folder, name = source_folder(problem_set, course), f"{problem_set}.ipynb"
    release = nbformat.read(release_folder(problem_set, course) / name, as_version=4)
    solution = {
        cells.grade_id(cell): cells.learners_own(cell.source)
        for cell in nbformat.read(folder / name, as_version=4).cells
        if cells.is_answer(cell) and cell.cell_type == "code"
    }
    known, draw = load_variants(folder), random.Random(seed)
    for number in range(count):
        answers = {}
        for piece, source in solution.items():
            right = [source, *(v.source for v in known.get(piece, []) if v.right)]
            wrong = [v.source for v in known.get(piece, []) if not v.right] or right
            answers[piece] = draw.choice(wrong if draw.random() < 0.2 else right)
        path = submitted / f"s{number:04}" / problem_set / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(nbformat.writes(fill(release, answers)), "utf-8")
