"""A class in which everybody hands in something known.

The variants, the solution broken in one line, the solution itself, and the release as it came. A
change is tried on some of its students, with every other answer judged in place
(:mod:`in_place`); a release on all.
"""

from __future__ import annotations

from collections.abc import Container
from functools import cache
from itertools import zip_longest
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from coursebook import course as course_tree
from nbjudge import sandbox
from nbjudge.answers import Broken, Variant, load_broken, load_variants
from nbjudge.intake import cells, enclosures
from nbjudge.intake.sources import release_folder
from nbjudge.variants import fill

COURSE = course_tree.root(Path(__file__).parent)

#: Where there is no sandbox the problem sets are tested all the same.
SANDBOXED = sandbox.status().works

#: The students whose notebooks are graded at every change, in every set: all right twice, nothing
#: done, and one wrong line in each exercise.
SOME = ("solution", "release", "variants-00", "broken-00")

#: Wrong answers whose message is another behind the wall, where it may not quote a hidden test's
#: inputs. Who hands them in is graded, too.
GRADED = {("shift", "wrong-whole-steps")}

#: What hidden tests draw from, so that a run of these tests can be repeated.
SEED = 20170612


def source_notebook(problem_set: str, course: Path) -> NotebookNode:
    """The instructor's notebook."""
    return nbformat.read(course / "solutions" / problem_set / f"{problem_set}.ipynb", as_version=4)


def release_notebook(problem_set: str, course: Path) -> NotebookNode:
    """What learners get."""
    path = release_folder(problem_set, course) / f"{problem_set}.ipynb"
    return nbformat.read(path, as_version=4)


def own_files(problem_set: str, course: Path) -> dict[str, bytes]:
    """The instructor's own copies of the files that are handed in beside the notebook."""
    wanted = enclosures.declared(source_notebook(problem_set, course))
    return enclosures.own(course / "solutions" / problem_set, wanted)


def answers_of(notebook: NotebookNode) -> dict[str, str]:
    """The source of each answer cell, by its grade id."""
    return {cells.grade_id(c): c.source for c in notebook.cells if cells.is_answer(c)}


def variants(problem_set: str, course: Path) -> list[tuple[str, Variant]]:
    """Each variant with the student who hands it in: the i-th of each exercise is student i's."""
    found = load_variants(course / "solutions" / problem_set)
    return [
        (f"variants-{i:02}", variant)
        for row in (list(enumerate(of_exercise)) for of_exercise in found.values())
        for i, variant in row
    ]


def broken(problem_set: str, course: Path) -> list[tuple[str, Broken]]:
    """Each broken line with the student who hands it in; no student has two of an exercise."""
    by_exercise: dict[str, list[Broken]] = {}
    for line in load_broken(course / "solutions" / problem_set):
        by_exercise.setdefault(line.exercise, []).append(line)
    rows = zip_longest(*by_exercise.values())
    return [(f"broken-{i:02}", b) for i, row in enumerate(rows) for b in row if b is not None]


@cache
def some(problem_set: str, course: Path) -> tuple[str, ...]:
    """The students who are graded at every change."""
    own = {s for s, v in variants(problem_set, course) if (v.exercise, v.name) in GRADED}
    return (*SOME, *sorted(own))


def hand_in(
    problem_set: str, course: Path, submitted: Path, students: Container[str] | None = None
) -> None:
    """Write the class's notebooks, or those of these students, in nbgrader's layout."""
    release = release_notebook(problem_set, course)
    solution = answers_of(source_notebook(problem_set, course))
    given: dict[str, dict[str, str]] = {"solution": solution, "release": {}}
    for student, variant in variants(problem_set, course):
        given.setdefault(student, {})[variant.exercise] = variant.source
    for student, line in broken(problem_set, course):
        given.setdefault(student, dict(solution))[line.exercise] = line.source
    for student, answers in given.items():
        if students is not None and student not in students:
            continue
        path = submitted / student / problem_set / f"{problem_set}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(fill(release, answers), path)
        for name, content in own_files(problem_set, course).items():
            (path.parent / name).write_bytes(content)
