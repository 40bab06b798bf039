"""Where answers come from: a graded class, earlier cohorts, and the course itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from nbjudge.course import RELEASED
from nbjudge.files import Unreadable, read_file, write_whole
from nbjudge.inside.program import program
from nbjudge.intake import cells, find, roster
from nbjudge.intake.merge import blank
from nbjudge.intake.messages import Opened, Stage
from nbjudge.judge import names_of
from nbjudge.judge.likeness import forbidden_files
from nbjudge.likeness.compare import Base, ComparedAnswer
from nbjudge.likeness.prints import Print
from nbjudge.run.helper import Helper, StepFailed
from nbjudge.store.folder import GradingFolder

#: The folder in a class's results for the page, the table and the fingerprints.
FOLDER = "likeness"

#: Ending of the file with a class's fingerprints, and its version, the only one that can be read.
#: Raise it if :mod:`.prints` makes other fingerprints.
KEPT, VERSION = ".fingerprints.json", 1

#: What a learner's own cells are listed under.
ADDED = "cells of their own"

#: The name of the instructor's answers.
SOLUTION = "the model solution"

#: The answers by exercise.
Answers = dict[str, list[ComparedAnswer]]


def of_class(folders: list[GradingFolder]) -> Answers:
    """The answers of a graded class, as they were handed in; nothing that was left as it came.

    Parameters
    ----------
    folders:
        One for each notebook of the problem set.
    """
    answers: Answers = {}
    for folder in folders:
        _add_graded(answers, folder, folder.into, "")
    return answers


def exercises(folders: list[GradingFolder]) -> list[str]:
    """The names of all answers, in the order of the problem set."""
    return [name for folder in folders for name in _stubs(folder.release())]


def earlier(path: Path, folders: list[GradingFolder]) -> Answers:
    """The answers of an earlier cohort to the same exercises.

    Parameters
    ----------
    path:
        A folder of submissions, a folder of graded work, or a file of fingerprints.
    folders:
        This class's, one for each notebook of the problem set.

    Raises
    ------
    ValueError
        If there is nothing of this problem set, or the file cannot be read.
    """
    called, answers = str(path), Answers()
    problem_set = folders[0].problem_set
    kept = path if path.is_file() else path / FOLDER / f"{problem_set}{KEPT}"
    if path.is_dir() and path.resolve() == folders[0].into:
        raise ValueError(f"earlier is {called!r}, but that is the class's own folder.")
    if (path / "ledger.db").is_file():
        for folder in folders:
            _add_graded(answers, folder, path, called)
    elif path.is_dir():
        for folder in folders:
            _add_submitted(answers, folder, path, called)
    if not answers and kept.is_file():
        answers = _read(kept, called)
    if not answers:
        raise ValueError(f"earlier is {called!r}, but it holds no answers to {problem_set}.")
    return answers


def keep(answers: Answers, problem_set: str, into: Path) -> Path:
    """Write the fingerprints of a class to a file, for later cohorts; returns its path.

    The file has the learners' names and no text of theirs.
    """
    kept = {
        exercise: [
            {"student": one.student, "code": one.code, "prints": _plain(one)} for one in every
        ]
        for exercise, every in answers.items()
    }
    path = into / FOLDER / f"{problem_set}{KEPT}"
    content = {"version": VERSION, "problem_set": problem_set, "answers": kept}
    write_whole(path, json.dumps(content, ensure_ascii=False) + "\n")
    return path


def base_of(folders: list[GradingFolder], answers: Answers) -> Base:
    """What the course gives to learners, and what it has written itself.

    The former is the release; the latter the instructor's answers, the packages that answers may
    import, what other libraries have of what is forbidden, and the lessons.
    """
    base = Base(one for every in answers.values() for one in every)
    for folder in folders:
        base.give((cell.source, cell.cell_type == "code") for cell in folder.release().cells)
    base.add(
        SOLUTION,
        (
            (cells.learners_own(cell.source), cell.cell_type == "code")
            for folder in folders
            for cell in folder.source().cells
            if cells.is_answer(cell)
        ),
    )
    for package in program().folders():
        for path in sorted(package.rglob("*.py")):
            name = path.relative_to(package.parent).as_posix()
            base.add(name, [(path.read_text("utf-8", errors="replace"), True)])
    for name, path in forbidden_files(program().forbidden):
        if name not in base.sources:
            base.add(name, [(path.read_text("utf-8", errors="replace"), True)])
    course = folders[0].course
    for path in _lessons(course):
        base.add(path.relative_to(course).as_posix(), _texts(path))
    return base


def _lessons(course: Path) -> list[Path]:
    released = course / RELEASED
    notebooks = released.parent.rglob("*.ipynb") if released.is_dir() else ()
    return sorted(
        path
        for path in notebooks
        if not path.is_relative_to(released)
        and not any(part.startswith(".") for part in path.relative_to(course).parts)
    )


def _texts(path: Path) -> Iterator[tuple[str, bool]]:
    try:
        parsed = find.parse(read_file(path)[0])
    except Unreadable:
        return
    for cell in parsed.cells:
        yield cell.source, cell.cell_type == "code"


def _add_graded(answers: Answers, folder: GradingFolder, into: Path, cohort: str) -> None:
    """Add answers from a folder of graded work, where they are in the course's own notebook."""
    stubs = _stubs(folder.release())
    for path in sorted(into.glob(f"submitted/*/{folder.problem_set}/{folder.name}.ipynb")):
        _add(answers, stubs, path.parts[-3], cohort, find.parse(path.read_bytes()).cells)


def _add_submitted(answers: Answers, folder: GradingFolder, submitted: Path, cohort: str) -> None:
    """Add answers as learners handed them in; a process with limits reads them."""
    release, source = folder.release(), folder.source()
    opened = Opened(
        template=nbformat.v4.writes(blank(source, release)),
        release=nbformat.v4.writes(release),
        names={name: list(names) for name, names in names_of(source).items()},
    )
    with Helper(opened) as helper:
        for student, place in roster.folders_of(submitted).items():
            taken = find.take_in(
                place, folder.problem_set, notebook=folder.name, others=folder.others
            )
            if taken.content is None:
                continue
            try:
                staged = helper.do(Stage(content=taken.content))
            except StepFailed:
                continue
            if not staged.problem:
                merged = nbformat.v4.reads(staged.notebook)
                _add(answers, _stubs(release), student, cohort, merged.cells)


def _stubs(release: NotebookNode) -> dict[str, str]:
    return {cells.grade_id(c): c.source.strip() for c in release.cells if cells.is_answer(c)}


def _add(
    answers: Answers,
    stubs: dict[str, str],
    student: str,
    cohort: str,
    merged: list[NotebookNode],
) -> None:
    own = []
    for cell in merged:
        name, code = cells.grade_id(cell), cell.cell_type == "code"
        if name in stubs:
            if cell.source.strip() not in ("", stubs[name]):
                answers.setdefault(name, []).append(
                    ComparedAnswer(student, cell.source, code, cohort)
                )
        elif code and cells.is_learners(cell):
            own.append(cell.source)
    if own:
        answers.setdefault(ADDED, []).append(
            ComparedAnswer(student, "\n\n".join(own), True, cohort)
        )


def _plain(answer: ComparedAnswer) -> dict[str, list[int]]:
    return {how: sorted(marks) for how, marks in answer.marks.items()}


def _read(path: Path, cohort: str) -> Answers:
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["version"] != VERSION:
            raise ValueError
        return {
            str(exercise): [
                ComparedAnswer(
                    str(one["student"]),
                    None,
                    bool(one["code"]),
                    cohort,
                    [
                        Print(int(mark), str(how), 0, 0)
                        for how, marks in one["prints"].items()
                        for mark in marks
                    ],
                )
                for one in every
            ]
            for exercise, every in content["answers"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} holds no fingerprints that this version can read.") from None
