"""The folder that a class is graded in: a course folder of nbgrader's, with its gradebook.

``nbgrader formgrader`` opens it, shows the grades and takes marks by hand.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import warnings
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from tfcourse.grading import cells
from tfcourse.grading.release import (
    copy_source,
    course_config,
    generate,
    own_programs_first,
    quiet_log,
    source_folder,
)
from tfcourse.grading.results import TestResult, write_whole

CONFIG_FILE = '''"""nbgrader's settings for this folder of graded work: its formgrader opens it."""

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.course_id = {course_id!r}
'''


class GradingFailed(RuntimeError):
    """A submission, or the problem set, could not be graded; the message says what to do."""


class OneStudent:
    """Makes nbgrader's converters take one student, whatever characters the name is made of.

    Theirs look for folders by a pattern, in which some characters mean something else.
    """

    def init_notebooks(self) -> None:
        """Only the notebook that is asked for."""
        folder = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        self.assignments = {folder: [f"{folder}/{self.coursedir.assignment_id}.ipynb"]}
        self.notebooks = []


class GradingFolder:
    """One problem set's place in the folder ``into``."""

    def __init__(self, into: Path, course: Path, problem_set: str):
        self.into, self.course, self.problem_set = into.resolve(), course, problem_set
        self.config = self._config()
        self.url = f"sqlite:///{self.into / 'gradebook.db'}"
        self.course_id = self.config.CourseDirectory.course_id

    def _config(self) -> Config:
        config = course_config(self.course)
        config.CourseDirectory.root = str(self.into)
        config.CourseDirectory.source_directory = "source"
        config.CourseDirectory.release_directory = "release"
        return config

    def path(self, step: str, student: str) -> Path:
        """``into/STEP/STUDENT/PS``, with STEP such as ``"autograded"``."""
        return self.into / step / student / self.problem_set

    def notebook(self, step: str, student: str) -> Path:
        """The problem set's notebook in :meth:`path`."""
        return self.path(step, student) / f"{self.problem_set}.ipynb"

    @contextmanager
    def only_one(self):
        """Hold the folder: two gradings at once would write over each other.

        Raises
        ------
        GradingFailed
            Where another process holds it.
        """
        from filelock import FileLock, Timeout

        self.into.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.into / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise GradingFailed(
                f"Another grading is at work in {self.into}: wait until it has ended."
            ) from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def logged(self):
        """Write nbgrader's log to ``into/grading.log``."""
        log = quiet_log()
        handler = logging.FileHandler(self.into / "grading.log", encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(handler)
        try:
            with warnings.catch_warnings():
                # nbgrader's own way of filling its tables; nothing is wrong with them.
                warnings.simplefilter("ignore", SAWarning)
                yield
        finally:
            log.removeHandler(handler)
            handler.close()

    def open(self):
        """The gradebook, to be used with ``with``."""
        from nbgrader.api import Gradebook

        return Gradebook(self.url, self.course_id)

    def prepare(self) -> None:
        """Make the folder ready: settings, gradebook, the problem set's source and release.

        Raises
        ------
        GradingFailed
            Where nbgrader refuses, such as when cells were added to a problem set that has already
            been graded here.
        """
        from nbgrader.api import Gradebook

        write_whole(self.into / "nbgrader_config.py", CONFIG_FILE.format(course_id=self.course_id))
        database = self.into / "gradebook.db"
        if not database.is_file():
            # Made aside and moved: one that was left half made would look like a gradebook.
            temporary = self.into / ".gradebook.db"
            temporary.unlink(missing_ok=True)
            with own_programs_first():
                Gradebook(f"sqlite:///{temporary}", self.course_id).close()
            temporary.replace(database)
        made = self.into / "records" / self.problem_set / "source.sha256"
        now = self.digest()
        if made.is_file() and made.read_text() == now:
            return
        made.unlink(missing_ok=True)
        copy_source(self.problem_set, self.course, self.into / "source" / self.problem_set)
        try:
            generate(self.problem_set, self.config)
        except ValueError as error:
            raise GradingFailed(
                f"{error} If cells were added or removed since work was graded here, grade into a "
                "new folder."
            ) from None
        write_whole(made, now)

    def digest(self) -> str:
        """What the instructor's files come to, as one SHA-256."""
        total = hashlib.sha256()
        folder = source_folder(self.problem_set, self.course)
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "variants" not in path.relative_to(folder).parts:
                total.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
        return total.hexdigest()

    def source(self) -> NotebookNode:
        """The instructor's notebook, hidden tests and all."""
        name = f"{self.problem_set}.ipynb"
        return nbformat.read(self.into / "source" / self.problem_set / name, as_version=4)

    def release(self) -> NotebookNode:
        """What the learners were given."""
        name = f"{self.problem_set}.ipynb"
        return nbformat.read(self.into / "release" / self.problem_set / name, as_version=4)

    # -- the gradebook -------------------------------------------------------------------------

    def enrol(self, students: list[str]) -> None:
        """See to it that the gradebook knows these students."""
        with self.open() as book:
            for student in set(students) - {student.id for student in book.students}:
                book.add_student(student)

    def has_submission(self, student: str) -> bool:
        """Whether the gradebook holds something of this student's for the problem set."""
        from nbgrader.api import MissingEntry

        with self.open() as book:
            try:
                book.find_submission(self.problem_set, student)
            except MissingEntry:
                return False
        return True

    def reset(self, student: str) -> None:
        """Forget what a machine gave this student: nbgrader would keep an old score of a run that
        failed. Marks given by hand stay."""
        with self.open() as book:
            if self.has_submission(student):
                for grade in self._grades(book, student):
                    grade.auto_score, grade.needs_manual_grade = None, True
                book.db.commit()

    def give_nothing(self, student: str) -> None:
        """0 points for work that cannot be graded at all."""
        with self.open() as book:
            book.update_or_create_submission(self.problem_set, student)
            for grade in self._grades(book, student):
                grade.auto_score, grade.needs_manual_grade = 0.0, False
            book.db.commit()
        for step in ("submitted", "autograded"):
            shutil.rmtree(self.path(step, student), ignore_errors=True)

    def _grades(self, book, student: str) -> list:
        return book.find_submission_notebook(self.problem_set, self.problem_set, student).grades

    def marks_by_hand(self, student: str) -> dict[str, tuple[float, bool]]:
        """The marks given by hand and whether they are to be looked at again, by grade id."""
        if not self.has_submission(student):
            return {}
        with self.open() as book:
            return {
                grade.name: (grade.manual_score, grade.needs_manual_grade)
                for grade in self._grades(book, student)
                if grade.manual_score is not None
            }

    def settle(self, student: str, marks: dict[str, tuple[float, bool]]) -> None:
        """Marks by hand on the same work as before need no second look."""
        with self.open() as book:
            for grade in self._grades(book, student):
                if grade.name in marks:
                    grade.needs_manual_grade = marks[grade.name][1]
            book.db.commit()

    def marks(self, student: str) -> str:
        """Everything that a page of feedback shows from the gradebook, as one text."""
        if not self.has_submission(student):
            return ""
        with self.open() as book:
            notebook = book.find_submission_notebook(self.problem_set, self.problem_set, student)
            grades = sorted((grade.name, grade.score) for grade in notebook.grades)
            comments = sorted(
                (comment.name, comment.comment or "") for comment in notebook.comments
            )
        return repr((grades, comments))

    def scores(self, student: str, order: list[NotebookNode]) -> dict[str, TestResult]:
        """The scores of the graded cells ``order``, as the gradebook has them now.

        A written answer that nobody has marked yet has the score ``None``.
        """
        found = {}
        if self.has_submission(student):
            with self.open() as book:
                for grade in self._grades(book, student):
                    waits = grade.manual_score is None and grade.auto_score is None
                    found[grade.name] = None if waits else float(grade.score)
        return {
            cells.grade_id(cell): TestResult(
                found.get(cells.grade_id(cell), 0.0), cells.points(cell)
            )
            for cell in order
        }
