"""Grade a class on one problem set: one submission after the other, by nbgrader's converters."""

from __future__ import annotations

import csv
import hashlib
import importlib.metadata
import json
import platform
import re
import secrets
import shutil
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    LimitOutput,
    SaveAutoGrades,
)

from tfcourse import course as course_tree
from tfcourse.grading import cells
from tfcourse.grading.execute import LimitedExecute, TidyOutputs, messages
from tfcourse.grading.gradebook import GradingFailed, GradingFolder, OneStudent
from tfcourse.grading.intake import Handed, blank, merge, take_in
from tfcourse.grading.release import quiet_log, source_folder
from tfcourse.grading.results import WAITS, Report, StudentResult, write_report, write_whole

#: Packages whose versions a report names.
NAMED_VERSIONS = ("tfcourse", "nbgrader", "ipykernel", "torch", "numpy")

#: Called before each student with how many are done, how many there are, and the student's name.
Progress = Callable[[int, int, str], None]

NOTHING = "nothing handed in"


class OneSubmission(OneStudent, Autograde):
    """nbgrader's Autograde for one student."""


def class_of(submitted: Path) -> tuple[list[str], dict[str, str]]:
    """The students, in order, and a flag for each that deserves one.

    They are the folders in ``submitted`` and, where there is a ``roster.csv`` with a column
    ``student``, everyone in it.

    Raises
    ------
    ValueError
        Where the roster has no such column, or there is no student at all.
    """
    folders = {
        path.name
        for path in submitted.iterdir()
        if path.is_dir() and not path.name.startswith((".", "_"))
    }
    roster = submitted / "roster.csv"
    if not roster.is_file():
        if not folders:
            raise ValueError(
                f"submitted is {str(submitted)!r}, but no student's folder is in it: it must hold "
                "STUDENT/PS/PS.ipynb for each student."
            )
        return sorted(folders), {}
    with roster.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    listed = [(row.get("student") or "").strip() for row in rows]
    listed = [name for name in listed if name]
    if not listed:
        raise ValueError(f"{roster} must have a column called student with a name in each row.")
    if bad := [name for name in listed if "/" in name or "\\" in name or name.startswith(".")]:
        raise ValueError(f"{roster} lists {bad[0]!r}, which cannot be a folder's name.")
    flags = dict.fromkeys(folders - set(listed), "not in roster.csv")
    return sorted(folders | set(listed)), flags


def judge_digest(notebook: NotebookNode) -> str:
    """The package's own files that have a say in the grades of this notebook, as one SHA-256.

    They are the grader's, and the modules of ``tfcourse`` that the notebook or the grader names.
    """
    package = Path(course_tree.__file__).parent
    text = "\n".join(cell.source for cell in notebook.cells)
    for path in sorted((package / "grading").rglob("*.py")):
        text += path.read_text(encoding="utf-8")
    total = hashlib.sha256(text.encode())
    for name in sorted(set(re.findall(r"\btfcourse\.(\w+)", text)) - {"grading"}):
        for path in sorted([package / f"{name}.py", *(package / name).rglob("*.py")]):
            if path.is_file():
                total.update(path.read_bytes())
    return total.hexdigest()


class Grading:
    """One run of the grader over one class."""

    def __init__(self, folder: GradingFolder, cell_seconds: float, submission_seconds: float):
        self.folder = folder
        self.limits = {"cell_seconds": cell_seconds, "submission_seconds": submission_seconds}
        self.release = folder.release()
        self.blank = blank(folder.source(), self.release)
        self.graded_cells = [cell for cell in self.blank.cells if cells.is_graded(cell)]
        self.judge = folder.digest() + judge_digest(self.blank)

    # -- what is already finished ----------------------------------------------------------------

    def record_path(self, student: str) -> Path:
        """Where it is written down that a student is finished, last of all and in one step."""
        return self.folder.into / "records" / self.folder.problem_set / f"{student}.json"

    def record(self, student: str) -> dict:
        """What :meth:`record_path` holds; empty where the student is not finished."""
        path = self.record_path(student)
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}

    def key(self, handed: Handed) -> str:
        """Changes when the submission, the problem set or the judge does."""
        found = [handed.digest, handed.problem, *handed.flags, self.judge]
        return hashlib.sha256("\0".join(found).encode()).hexdigest()

    def is_finished(self, student: str, record: dict, handed: Handed, seed: int | None) -> bool:
        """Whether what was handed in was graded as it is, by this judge, and the page is there."""
        page = self.folder.path("feedback", student) / f"{self.folder.problem_set}.html"
        made = (
            [page] if handed.cells is None else [page, self.folder.notebook("autograded", student)]
        )
        return (
            record.get("key") == self.key(handed)
            and all(path.is_file() for path in made)
            and (seed is None or record["seed"] in (seed, None))
        )

    # -- one student -----------------------------------------------------------------------------

    def grade_one(self, student: str, handed: Handed, seed: int | None) -> dict:
        """Grade what one student handed in, anew; returns the record, which is also stored."""
        before = self.record(student)
        # Until the new record stands, nothing must look finished.
        self.record_path(student).unlink(missing_ok=True)
        record = {
            "key": self.key(handed),
            "digest": handed.digest,
            "seed": None,
            "flags": list(handed.flags),
            "messages": {},
            "seconds": 0.0,
        }
        if handed.cells is None:
            record["flags"].append(handed.problem)
            if handed.problem != NOTHING or self.folder.has_submission(student):
                self.folder.give_nothing(student)
        else:
            marks = self.folder.marks_by_hand(student)
            self.run(student, handed, secrets.randbits(31) if seed is None else seed, record)
            if marks and before.get("digest") == handed.digest:
                self.folder.settle(student, marks)
                record["old_marks"] = before.get("old_marks", {})
            else:
                record["old_marks"] = {name: mark for name, (mark, _) in marks.items()}
        self.write_feedback(student, record)
        return record

    def run(self, student: str, handed: Handed, seed: int, record: dict) -> None:
        """Put the answers into our notebook, run it, and write into the record what came of it."""
        folder = self.folder
        notebook, flags = merge(handed.cells, self.blank, self.release)
        record["flags"] += flags
        staged = folder.notebook("submitted", student)
        shutil.rmtree(staged.parent, ignore_errors=True)
        staged.parent.mkdir(parents=True)
        nbformat.write(notebook, staged)

        data = folder.into / "source" / folder.problem_set
        execute = LimitedExecute(seed=seed, data=data, **self.limits)
        folder.reset(student)
        started = monotonic()
        self.autograde(student, execute)
        record["seconds"] = monotonic() - started
        record["seed"] = seed
        record["flags"] += execute.flags
        graded = nbformat.read(folder.notebook("autograded", student), as_version=4)
        record["messages"] = messages(graded)

    def autograde(self, student: str, execute: Preprocessor) -> None:
        """Run the staged notebook through nbgrader, which writes the marks into its gradebook."""
        config, log = self.folder.config, quiet_log()
        place = CourseDirectory(config=config, log=log)
        place.student_id, place.assignment_id = student, self.folder.problem_set
        converter = OneSubmission(coursedir=place, config=config, log=log, force=True)
        converter.autograde_preprocessors = [
            execute,
            TidyOutputs,
            LimitOutput,
            SaveAutoGrades,
            AssignLatePenalties,
            CheckCellMetadata,
        ]
        try:
            converter.start()
        except Exception as error:
            raise GradingFailed(
                f"could not be graded: nbgrader stopped (why: {self.folder.into}/grading.log)"
            ) from error

    def write_feedback(self, student: str, record: dict) -> None:
        """Write the page and then the record, the last thing that is done for a submission."""
        from tfcourse.grading.feedback import write_feedback, write_note

        result = self.result(student, record)
        if self.folder.notebook("autograded", student).is_file():
            write_feedback(self.folder, student, result)
        else:
            write_note(self.folder, student, result)
        record["marks"] = self.folder.marks(student)
        write_whole(self.record_path(student), json.dumps(record, ensure_ascii=False))

    def result(self, student: str, record: dict) -> StudentResult:
        """A student's result from the record and from the gradebook as it is now."""
        tests = self.folder.scores(student, self.graded_cells)
        marks = self.folder.marks_by_hand(student)
        flags = list(record["flags"])
        for name, test in tests.items():
            if test.score is None:
                flags.append(f"{name} {WAITS}")
            else:
                lost = test.score < test.max_score
                test.message = record["messages"].get(name, "") if lost else ""
            old = record.get("old_marks", {}).get(name)
            if name in marks and marks[name] == (old, True):
                flags.append(f"{name} was marked by hand before the work changed: look again")
        return StudentResult(tests, flags, record["seed"], record["seconds"])


def check_folders(submitted: Path, into: Path) -> None:
    """Refuse folders that would write over each other.

    Raises
    ------
    ValueError
        Where ``submitted`` is not there, or one of the two lies in the other.
    """
    if not submitted.is_dir():
        raise ValueError(
            f"submitted is {str(submitted)!r}, but it must be a folder that holds "
            "STUDENT/PS/PS.ipynb for each student."
        )
    one, other = submitted.resolve(), into.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise ValueError(
            f"into is {str(into)!r} and submitted is {str(submitted)!r}, but neither may lie in "
            "the other: choose a folder elsewhere for the results."
        )
    if into.exists() and not into.is_dir():
        raise ValueError(f"into is {str(into)!r}, but it must be a folder, there or to be made.")


def grade(
    problem_set: str,
    submitted: Path,
    into: Path,
    *,
    course: Path | None = None,
    cell_seconds: float = 30,
    submission_seconds: float = 180,
    again: Collection[str] = (),
    seed: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Grade a class's work on a problem set.

    What was graded before and has not changed since is not run again; marks given by hand in
    nbgrader's gradebook count and are kept. The learners' code runs with the rights of whoever
    calls this, in no sandbox.

    Parameters
    ----------
    problem_set:
        Its name, ``"ps05-self-attention"``.
    submitted:
        The folder that holds ``STUDENT/PS/PS.ipynb``, and where wanted ``roster.csv``.
    into:
        Where to leave ``grades.csv``, ``report.json``, ``gradebook.db``, ``autograded/`` and
        ``feedback/``.
    course:
        The course's folder; looked for unless given.
    cell_seconds, submission_seconds:
        How long a cell, and all cells of a submission, may take.
    again:
        Students whose work is run again although nothing has changed.
    seed:
        What hidden tests draw their inputs from, for every student that is graded in this run: the
        one in the report replays a grading. Drawn for each student unless given.
    progress:
        Called before each student with how many are done, how many there are and the name, and
        after the last with an empty name.

    Raises
    ------
    ValueError
        Where an argument names something that is not there.
    GradingFailed
        Where the problem set itself cannot be graded, or another grading holds the folder.
    """
    started, began = monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    course = (course or course_tree.root()).resolve()
    submitted, into = Path(submitted), Path(into)
    source_folder(problem_set, course)
    check_folders(submitted, into)
    students, roster_flags = class_of(submitted)
    if unknown := sorted(set(again) - set(students)):
        raise ValueError(f"again names {unknown[0]!r}, but there is no such student.")
    for name, value in (("cell_seconds", cell_seconds), ("submission_seconds", submission_seconds)):
        if not value > 0:
            raise ValueError(f"{name} is {value}, but it must be more than 0.")

    folder = GradingFolder(into, course, problem_set)
    with folder.only_one(), folder.logged():
        folder.prepare()
        folder.enrol(students)
        grading = Grading(folder, cell_seconds, submission_seconds)
        report = Report(problem_set, {}, started=began, versions=_versions())
        for done, student in enumerate(students):
            if progress:
                progress(done, len(students), student)
            handed = take_in(submitted / student, problem_set)
            if student in roster_flags:
                handed.flags.insert(0, roster_flags[student])
            record = grading.record(student)
            if student in again or not grading.is_finished(student, record, handed, seed):
                record = _graded(grading, student, handed, seed)
                if handed.cells is not None:
                    report.executed.append(student)
            elif record["marks"] != folder.marks(student):
                grading.write_feedback(student, record)
            report.students[student] = grading.result(student, record)
        report.seconds = monotonic() - started
        write_report(report, folder.into)
    if progress:
        progress(len(students), len(students), "")
    return report


def _graded(grading: Grading, student: str, handed: Handed, seed: int | None) -> dict:
    """Grade one; where the grader itself fails, say so for this student and go on."""
    try:
        return grading.grade_one(student, handed, seed)
    except GradingFailed as error:
        grading.folder.give_nothing(student)
        return {"key": "", "seed": None, "flags": [str(error)], "messages": {}, "seconds": 0.0}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in NAMED_VERSIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
