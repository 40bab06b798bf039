"""Explain a grade to the instructor, with hidden tests.

For each test of an exercise: its points, its message, and how to replay the grading.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from nbjudge import course as course_tree
from nbjudge.inside.program import command_name
from nbjudge.intake import cells
from nbjudge.intake.policy import one_spelling
from nbjudge.intake.sources import notebooks_in, source_folder
from nbjudge.store.folder import GradingFolder
from nbjudge.store.gradebook import Book, Mark
from nbjudge.store.ledger import Entry
from nbjudge.store.record import TestRecord
from nbjudge.store.results import VOID


@dataclass
class ExplainedTest:
    """One test of the exercise: its mark, the judge's message and notes, and its source."""

    __test__ = False  # pytest would collect a class of this name

    name: str
    points: float
    mark: Mark
    message: str = ""
    seconds: float = 0.0
    seen: list[str] = field(default_factory=list)
    source: str = ""


@dataclass
class Explained:
    """A student's grade in one exercise.

    ``seed`` is the hidden tests' seed; ``answer`` what was handed in; ``replay`` the command that
    repeats the grading.
    """

    student: str
    exercise: str
    answer: str
    tests: list[ExplainedTest]
    seed: int | None
    flags: list[str]
    received: str
    sandbox: str
    replay: str


def why(
    problem_set: str,
    submitted: Path,
    into: Path,
    student: str,
    exercise: str,
    *,
    course: Path | None = None,
    database: str | None = None,
) -> Explained:
    """Explain an existing grade in the folder ``into``; nothing is run.

    Raises
    ------
    ValueError
        If there is no such exercise, or no work of this student has been graded there.
    """
    course, student = (course or course_tree.root()).resolve(), one_spelling(student)
    notebooks = notebooks_in(source_folder(problem_set, course))
    if not (into / "ledger.db").is_file():
        raise ValueError(f"into is {str(into)!r}, but nothing has been graded there.")
    folders = [
        GradingFolder(into, course, problem_set, database, notebook=name) for name in notebooks
    ]
    with folders[0].ledger() as ledger:
        entries = [ledger.entry(folder.work, student) for folder in folders]
    if not any(entry.record for entry in entries):
        raise ValueError(f"student is {student!r}, but none of their work is graded in {into}.")
    exercises: dict[str, tuple[GradingFolder, Entry]] = {}
    for folder, entry in zip(folders, entries, strict=True):
        for cell in filter(cells.is_graded, folder.source().cells):
            exercises.setdefault(cells.exercise_of(cells.grade_id(cell)), (folder, entry))
    if exercise not in exercises:
        raise ValueError(
            f"exercise is {exercise!r}, but it must be one of: {', '.join(exercises)}."
        )
    folder, entry = exercises[exercise]
    if (record := entry.record) is None:
        raise ValueError(f"student is {student!r}, but their {folder.name} is not graded yet.")
    graded = [cell for cell in folder.source().cells if cells.is_graded(cell)]
    with Book(
        folder.url, folder.course_id, problem_set, folder.config, notebook=folder.name
    ) as book:
        marks = book.marks(student)
    tests = []
    void, rescaled = record.adjusted
    for cell in graded:
        name = cells.grade_id(cell)
        if cells.exercise_of(name) == exercise:
            judged = record.tests.get(name, TestRecord())
            tests.append(
                ExplainedTest(
                    name,
                    dict(rescaled).get(name, cells.points(cell)),
                    marks.grades.get(name, Mark()) if marks else Mark(0.0),
                    message=VOID if name in void else judged.message,
                    seconds=judged.seconds,
                    seen=judged.seen,
                    source=cell.source if cells.is_test(cell) else "",
                )
            )
    replay = ""
    if entry.seed is not None:
        replay = (
            f"{command_name()} grade {problem_set} --submitted {shlex.quote(str(submitted))} "
            f"--into {shlex.quote(str(into))} --again {shlex.quote(student)} --seed {entry.seed}"
        )
    return Explained(
        student,
        exercise,
        _answer(folder, student, exercise),
        tests,
        entry.seed,
        record.flags,
        record.received,
        record.sandbox,
        replay,
    )


def _answer(folder: GradingFolder, student: str, exercise: str) -> str:
    path = folder.notebook("submitted", student)
    if not path.is_file():
        return ""
    notebook_cells = nbformat.read(path, as_version=4).cells
    answers = [
        cell.source
        for cell in notebook_cells
        if cells.is_answer(cell) and cells.exercise_of(cells.grade_id(cell)) == exercise
    ]
    return "\n\n".join(answers)
