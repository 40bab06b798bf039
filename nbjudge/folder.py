"""The folder that a class is graded in: a course folder of nbgrader's; its formgrader opens it."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import shutil
import sqlite3
import warnings
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, SAWarning

from nbjudge import cells, enclosures
from nbjudge.answers import holds_answers
from nbjudge.course import sources
from nbjudge.failure import GradingFailed, of_the_machine
from nbjudge.files import write_whole
from nbjudge.inside.program import program
from nbjudge.ledger import Ledger
from nbjudge.release import (
    NOT_COPIED,
    copy_source,
    course_config,
    generate,
    loose_files,
    notebooks_in,
    quiet_log,
    source_folder,
)
from nbjudge.workers import WORKERS

CONFIG_FILE = '''"""nbgrader's settings for this folder of graded work: its formgrader opens it."""

import os
from pathlib import Path

c = get_config()  # noqa: F821 - nbgrader defines it

c.CourseDirectory.course_id = {course_id!r}
{database}# Nothing that learners wrote runs in the browser of whoever marks it.
c.HTMLExporter.sanitize_html = True
# The formgrader's button for autograding would run learners' code as whoever clicks it.
c.Autograde.sanitize_preprocessors = ["nbjudge.folder.OnlyHere"]
# A page of feedback made by the formgrader's button shows no hidden test either.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbjudge.feedback.Redact",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]

# Who gives which mark, and when, is written to marks.jsonl; the gradebook keeps the number alone.
try:
    from nbjudge.marking import record_marks
except ImportError:  # an installation without the course
    pass
else:
    record_marks(Path(__file__).parent)
'''

#: The gradebook's URL, where it is not the one in the folder; it may hold a password.
DATABASE_VARIABLE = program().variable("DB")


#: The errors that are the disk's and not the notebook's.
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)


def read_ours(path: Path) -> NotebookNode:
    """An instructor's notebook, or what was made of it.

    One of an older format is given what the judge needs: each cell an id, the same in both.
    """
    notebook = nbformat.read(path, as_version=4)
    for number, cell in enumerate(notebook.cells):
        if "id" not in cell:
            cell.id = f"cell-{number}"
    notebook.nbformat_minor = max(5, notebook.nbformat_minor)
    return notebook


class OnlyHere(NbGraderPreprocessor):
    """Stops nbgrader's own autograding in a folder of ours, before anything is run."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Refuse."""
        raise RuntimeError(
            f"Work in this folder is graded by `{program().command} grade --again STUDENT`."
        )


class GradingFolder:
    """One notebook's place in the folder ``into``.

    Parameters
    ----------
    into:
        The folder.
    course:
        The course's folder.
    problem_set:
        The problem set's name.
    database:
        The gradebook's URL as SQLAlchemy reads it; ``None``: ``gradebook.db`` in the folder.
    notebook:
        Which of the problem set's notebooks, by its name without ending; the first unless given.

    Attributes
    ----------
    name:
        The notebook's name.
    others:
        Those of the problem set's other notebooks.
    work:
        What the ledger calls it.
    """

    def __init__(
        self,
        into: Path,
        course: Path,
        problem_set: str,
        database: str | None = None,
        *,
        notebook: str | None = None,
    ):
        self.into, self.course, self.problem_set = into.resolve(), course, problem_set
        every = notebooks_in(sources(course) / problem_set) or [problem_set]
        self.name = every[0] if notebook is None else notebook
        self.others = [name for name in every if name != self.name]
        self.work = f"{problem_set}/{self.name}" if self.others else problem_set
        self.url = database or f"sqlite:///{self.into / 'gradebook.db'}"
        try:
            self.shown_url = make_url(self.url).render_as_string(hide_password=True)
        except ArgumentError:
            raise ValueError(
                "db must be a database's URL, such as postgresql+psycopg://grader@localhost/"
                "course, but it cannot be read as one."
            ) from None
        self.own_database = database is None
        if self.own_database:
            self.shown_url = "gradebook.db"  # wherever the folder is moved to
        self.config = course_config(course)
        self.config.CourseDirectory.root = str(self.into)
        self.config.CourseDirectory.source_directory = "source"
        self.config.CourseDirectory.release_directory = "release"
        self.config.CourseDirectory.db_url = self.url
        self.course_id = self.config.CourseDirectory.course_id

    def path(self, step: str, student: str) -> Path:
        """``into/STEP/STUDENT/PS``, with STEP such as ``"autograded"``."""
        return self.into / step / student / self.problem_set

    def notebook(self, step: str, student: str) -> Path:
        """The notebook in :meth:`path`."""
        return self.path(step, student) / f"{self.name}.ipynb"

    def page(self, student: str) -> Path:
        """The student's page of feedback."""
        return self.path("feedback", student) / f"{self.name}.html"

    @contextmanager
    def only_one(self):
        """Hold the folder: two gradings at once would write over each other.

        Raises
        ------
        GradingFailed
            If another process holds it.
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
        """Write nbgrader's log, and that of the workers, to ``into/grading.log``."""
        handler = logging.FileHandler(self.into / "grading.log", encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        logs = [quiet_log(), logging.getLogger("distributed")]
        for log in logs:
            log.addHandler(handler)
        try:
            with warnings.catch_warnings():
                # nbgrader's own way of filling its tables; nothing is wrong with them.
                warnings.simplefilter("ignore", SAWarning)
                yield
        finally:
            for log in logs:
                log.removeHandler(handler)
            handler.close()

    def ledger(self) -> Ledger:
        """The ledger of this folder, to be used with ``with``.

        Raises
        ------
        GradingFailed
            If the file is there and is none.
        """
        path = self.into / "ledger.db"
        try:
            return Ledger(path)
        except sqlite3.DatabaseError as error:
            if of_the_machine(error):
                raise
            raise GradingFailed(
                f"{path} is damaged ({error}). Move it away: then all work is run again, and marks "
                "by hand stay in the gradebook."
            ) from None

    def clear(self) -> None:
        """Remove what runs that were killed have left; to be called while the folder is held."""
        for left in self.into.glob(f"{WORKERS}*"):
            shutil.rmtree(left, ignore_errors=True)

    def prepare(self, ledger: Ledger) -> None:
        """Make the folder ready: settings, gradebook, the problem set's source and release.

        Raises
        ------
        GradingFailed
            If nbgrader refuses, such as when cells were added to a problem set that has already
            been graded here; if the folder's marks are in another database.
        """
        before = ledger.fact("database")
        if before and before != self.shown_url:
            raise GradingFailed(
                f"The marks of {self.into} are in {before}, not in {self.shown_url}: name that "
                "database, or grade into a new folder."
            )
        ledger.note("database", self.shown_url)
        settings = CONFIG_FILE.format(course_id=self.course_id, database=self._database_setting())
        write_whole(self.into / "nbgrader_config.py", settings)
        self._make_database()
        made, now = f"{self.problem_set}: source", self.digest()
        if ledger.fact(made) == now:
            return
        ledger.note(made, "")
        copy_source(self.problem_set, self.course, self.into / "source" / self.problem_set)
        try:
            generate(self.problem_set, self.config)
        except ValueError as error:
            if any(f"[Errno {number}]" in str(error) for number in _OF_THE_DISK):
                raise GradingFailed(
                    f"The release cannot be written to {self.into}: {error}"
                ) from None
            raise GradingFailed(
                f"{error} If cells were added or removed since work was graded here, put them back "
                "(a test is taken out of the marks by `void` in class.toml) or grade into a new "
                "folder."
            ) from None
        ledger.note(made, now)

    def _database_setting(self) -> str:
        """The gradebook's line in nbgrader's settings, without a password.

        The password stays with whoever runs the command.
        """
        if self.own_database:
            return ""
        url = make_url(self.url).set(password=None).render_as_string()
        return f"c.CourseDirectory.db_url = os.environ.get({DATABASE_VARIABLE!r}, {url!r})\n"

    def _make_database(self) -> None:
        from nbjudge import gradebook

        database = self.into / "gradebook.db"
        if self.own_database and database.is_file():
            self._check(database)
            return
        if not self.own_database:
            try:
                gradebook.make(self.url, self.course_id)
            except Exception as error:
                raise GradingFailed(
                    f"The gradebook {self.shown_url} cannot be opened: "
                    f"{str(error).splitlines()[0] if str(error) else type(error).__name__}"
                ) from None
            return
        # Made aside and moved: one that was left half made would look like a gradebook.
        temporary = self.into / ".gradebook.db"
        temporary.unlink(missing_ok=True)
        gradebook.make(f"sqlite:///{temporary}", self.course_id)
        temporary.replace(database)

    def _check(self, database: Path) -> None:
        """Refuse a gradebook that is none, or another version's, and say what can be done."""
        try:
            with contextlib.closing(sqlite3.connect(database, timeout=60)) as book:
                found = book.execute("SELECT version_num FROM alembic_version").fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            found = []
        except sqlite3.DatabaseError as error:
            raise GradingFailed(
                f"{database} is no gradebook, or a damaged one ({error}). Put a copy of the "
                "gradebook in its place, which holds the marks by hand; or grade into a new folder."
            ) from None
        from nbjudge.gradebook import version

        if found != [(version(),)]:
            raise GradingFailed(
                f"{database} was made by another version of nbgrader. Keep a copy of it, run "
                f"`nbgrader db upgrade` in {self.into}, and then this command again; or grade into "
                "a new folder."
            )

    def digest(self) -> str:
        """What the instructor's files come to, as one SHA-256."""
        total = hashlib.sha256()
        folder = source_folder(self.problem_set, self.course)
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not holds_answers(path):
                total.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
        for path in loose_files(self.course):
            total.update(f"../{path.name}\0".encode() + path.read_bytes())
        return total.hexdigest()

    def files(self) -> dict[str, bytes]:
        """The problem set's data files, by their path in its folder: what learners are given."""
        folder = self.into / "release" / self.problem_set
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
            and path.suffix != ".ipynb"
            and path.name not in self.enclosed()
            and not any(path.match(pattern) for pattern in NOT_COPIED)
        }

    def enclosed(self) -> dict[str, int]:
        """The files that are handed in beside the notebook, with how many kilobytes each."""
        return enclosures.declared(self.source())

    def own(self) -> dict[str, bytes]:
        """The instructor's own copies of these, which go with the solution."""
        return enclosures.own(self.into / "source" / self.problem_set, self.enclosed())

    def source(self) -> NotebookNode:
        """The instructor's notebook, hidden tests and all."""
        return self._made("source", self.name)

    def release(self) -> NotebookNode:
        """What the learners were given."""
        return self._made("release", self.name)

    def graded(self) -> dict[str, float]:
        """What each graded cell carries, in all notebooks of the problem set."""
        return {
            cells.grade_id(cell): cells.points(cell)
            for name in (self.name, *self.others)
            for cell in self._made("release", name).cells
            if cells.is_graded(cell)
        }

    def _made(self, step: str, name: str) -> NotebookNode:
        return read_ours(self.into / step / self.problem_set / f"{name}.ipynb")
