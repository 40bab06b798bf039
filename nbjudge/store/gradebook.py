"""nbgrader's gradebook, held open by its only writer: one transaction per submission."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy
from alembic.script import ScriptDirectory
from nbformat import NotebookNode
from nbgrader import api
from nbgrader.dbutil import ALEMBIC_DIR
from nbgrader.preprocessors import AssignLatePenalties, SaveAutoGrades
from sqlalchemy import event, select
from sqlalchemy.orm import Session
from traitlets.config import Config

from nbjudge.intake import cells
from nbjudge.intake.policy import Rules
from nbjudge.intake.sources import quiet_log
from nbjudge.marking.record import MARKER

# nbgrader writes each error of the database to the terminal before it raises it.
api.app_log = quiet_log()


@dataclass(frozen=True)
class Mark:
    """One graded cell in the gradebook.

    The automatic score, the manual mark, extra credit, and whether it still awaits a person.
    """

    auto: float | None = None
    manual: float | None = None
    extra: float | None = None
    waits: bool = True

    @property
    def score(self) -> float | None:
        """The points that count; ``None`` if there are none yet."""
        given = self.auto if self.manual is None else self.manual
        return None if given is None else given + (self.extra or 0.0)


@dataclass
class Marks:
    """One student's marks.

    The marks by graded cell, the comments on the cells, the late penalty in points, and when the
    work was received and due, in UTC without a zone, as nbgrader stores it.
    """

    grades: dict[str, Mark] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    penalty: float = 0.0
    late_seconds: float = 0.0
    received: datetime | None = None
    due: datetime | None = None

    def by_hand(self) -> dict[str, tuple[float, bool]]:
        """The manual marks, and whether each needs another look."""
        return {
            name: (mark.manual, mark.waits)
            for name, mark in self.grades.items()
            if mark.manual is not None
        }

    def autos(self) -> dict[str, float | None]:
        """The automatic points by graded cell."""
        return {name: mark.auto for name, mark in self.grades.items()}

    def shown(self) -> str:
        """Everything here that a feedback page shows, as one string."""
        grades = sorted((name, mark.score) for name, mark in self.grades.items())
        marks = (grades, sorted(self.comments.items()), self.penalty, self.late_seconds)
        return repr((*marks, self.received, self.due))


def _wait(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA busy_timeout = 60000")


def version() -> str:
    """The installed nbgrader's schema version."""
    return ScriptDirectory(ALEMBIC_DIR).get_current_head() or ""


def make(url: str, course_id: str) -> None:
    """Create the gradebook at ``url`` if it does not exist.

    Its schema version is written here: nbgrader would start a program that takes seconds to do so.
    """
    engine = sqlalchemy.create_engine(url)
    if not sqlalchemy.inspect(engine).get_table_names():
        table = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"
        row = sqlalchemy.text("INSERT INTO alembic_version VALUES (:version)")
        with engine.begin() as connection:
            connection.execute(sqlalchemy.text(table))
            connection.execute(row, {"version": version()})
    engine.dispose()
    api.Gradebook(url, course_id).close()


class _Save(SaveAutoGrades):
    """nbgrader's own rules for scores and comments, applied within an open transaction."""

    def __init__(self, book: _Loaded, problem_set: str, notebook: str, student: str):
        super().__init__(log=quiet_log())
        self.gradebook, self.student_id = book, student
        self.assignment_id, self.notebook_id = problem_set, notebook

    def save(self, notebook: NotebookNode) -> None:
        for index, cell in enumerate(notebook.cells):
            self.preprocess_cell(cell, {}, index)


class Book:
    """The open gradebook for one notebook of a problem set; a context manager.

    By default the notebook has the problem set's name.
    """

    def __init__(
        self,
        url: str,
        course_id: str,
        problem_set: str,
        config: Config,
        rules: Rules | None = None,
        *,
        notebook: str | None = None,
    ):
        self.problem_set, self.config, self.rules = problem_set, config, rules or Rules()
        self.name = problem_set if notebook is None else notebook
        self._book = api.Gradebook(url, course_id)
        if self._book.engine.dialect.name == "sqlite":
            # An open formgrader may be writing at the same time.
            event.listen(self._book.engine, "connect", _wait)
            self._book.engine.dispose()

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *_: object) -> None:
        self._book.close()

    @property
    def _session(self) -> Session:
        return self._book.db

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing: nbgrader's functions would commit after each step."""
        session = self._session
        session.commit = session.flush  # type: ignore[method-assign]
        try:
            yield
            del session.commit
            session.commit()
        except BaseException:
            session.__dict__.pop("commit", None)
            session.rollback()
            raise

    def enrol(self, students: list[str]) -> None:
        """Add these students to the gradebook if they are missing."""
        known = set(self._session.scalars(select(api.Student.id)))
        with self._transaction():
            for student in students:
                if student not in known:
                    self._session.add(api.Student(id=student))

    # -- rules -----------------------------------------------------------------------------------

    def apply_rules(self, points: dict[str, float], undo: bool = False) -> None:
        """Write the rules' due dates and points to the gradebook, where nbgrader looks for them.

        Parameters
        ----------
        points:
            The points of each graded cell in the instructor's notebook.
        undo:
            Whether the gradebook's due date and extensions come from earlier rules, so that they
            are removed if the rules no longer give any.
        """
        with self._transaction():
            assignment = self._book.find_assignment(self.problem_set)
            if self.rules.due is not None or undo:
                assignment.duedate = naive(self.rules.due)
                for submission in assignment.submissions:
                    self._extend(submission)
            rows = self._session.execute(
                select(api.GradeCell)
                .join(api.Notebook, api.GradeCell.notebook_id == api.Notebook.id)
                .join(api.Assignment, api.Notebook.assignment_id == api.Assignment.id)
                .where(api.Assignment.name == self.problem_set, api.Notebook.name == self.name)
            )
            for (cell,) in rows:
                carries = self.rules.carries(cell.name, points.get(cell.name, cell.max_score))
                if cell.max_score != carries:
                    cell.max_score = carries

    def _extend(self, submission: api.SubmittedAssignment) -> None:
        """Set a submission's extension beyond the common due date."""
        due = self.rules.due_for(submission.student_id)
        usual = self.rules.due
        extension = due - usual if due is not None and usual is not None else None
        if submission.extension != (extension or None):
            submission.extension = extension or None

    # -- writing ---------------------------------------------------------------------------------

    def save(
        self,
        student: str,
        notebook: NotebookNode,
        received: datetime | None,
        settled: dict[str, tuple[float, bool]] | None = None,
    ) -> dict[str, float | None]:
        """Save the scores of an executed notebook; manual marks are kept.

        Returns the automatic scores before the rules change any.

        Parameters
        ----------
        student:
            The student's name.
        notebook:
            The executed notebook, from which nbgrader's own rules read the scores.
        received:
            When it was received.
        settled:
            Manual marks that were given on this same work, and need no second look.
        """
        with self._transaction():
            self._submission(student, received)
            grades = self._grades(student)
            for grade in grades.values():
                # nbgrader would keep the old score of a cell that is gone.
                grade.auto_score, grade.needs_manual_grade = None, True
            loaded = _Loaded(grades, self._comments(student))
            _Save(loaded, self.problem_set, self.name, student).save(notebook)
            for name, (_, waits) in (settled or {}).items():
                if name in grades:
                    grades[name].needs_manual_grade = waits
            judged = {name: grade.auto_score for name, grade in grades.items()}
            most = {
                cells.grade_id(c): cells.points(c) for c in notebook.cells if cells.is_graded(c)
            }
            self._adjust(grades, judged, most)
            self._session.flush()
            self._assign_penalty(student)
        return judged

    def adjust(
        self, student: str, judged: dict[str, float | None], most: dict[str, float], by_hand: dict
    ) -> None:
        """Apply the current rules to the automatic scores, whatever rules held before.

        Parameters
        ----------
        student:
            The student's name.
        judged:
            The automatic scores in the notebook's own points.
        most:
            The notebook's own points.
        by_hand:
            Manual marks to set, or ``None`` to remove one, for example of a void test.
        """
        with self._transaction():
            grades = self._grades(student)
            for name, mark in by_hand.items():
                if name in grades:
                    grades[name].manual_score = mark
                    grades[name].needs_manual_grade = False
            self._adjust(grades, judged, most)
            self._session.flush()
            self._assign_penalty(student)

    def _adjust(self, grades: dict, judged: dict, most: dict[str, float]) -> None:
        for name, grade in grades.items():
            if name not in judged or name not in most:
                continue
            score = self.rules.adjusted(name, judged[name], most[name])
            if grade.auto_score != score:
                grade.auto_score = score
            if name in self.rules.void:
                grade.needs_manual_grade = False
            elif score is None and grade.manual_score is None:
                grade.needs_manual_grade = True

    def mark(
        self,
        cell: str,
        marks: dict[str, float | None],
        comment: str | None = None,
        *,
        looked: bool = True,
    ) -> None:
        """Give manual marks for one cell, all of them or none.

        Parameters
        ----------
        cell:
            The graded cell's name.
        marks:
            The points by student; ``None`` takes a mark back.
        comment:
            The manual comment on the cell; by default comments stay.
        looked:
            Whether somebody has looked at the work, so that it needs no second look.
        """
        with self._transaction():
            for student, points in marks.items():
                grade = self._grades(student)[cell]
                grade.manual_score = points
                if points is None:
                    grade.needs_manual_grade = grade.auto_score is None
                elif looked:
                    grade.needs_manual_grade = False
                if comment is not None:
                    self._comment(student, cell, comment)

    def _comment(self, student: str, cell: str, text: str) -> None:
        comment = self._comments(student).get(cell)
        if comment is not None:
            # An empty manual comment would hide the automatic one.
            comment.manual_comment = None if text in ("", comment.auto_comment) else text

    def save_nothing(
        self,
        student: str,
        received: datetime | None = None,
        settled: dict[str, tuple[float, bool]] | None = None,
    ) -> None:
        """Save 0 points for work that cannot be graded at all.

        Manual marks stay, and need a second look unless they are ``settled``, as in :meth:`save`.
        """
        waiting = {name: waits for name, (_, waits) in (settled or {}).items()}
        with self._transaction():
            self._submission(student, received)
            for name, grade in self._grades(student).items():
                given = grade.manual_score is not None
                grade.auto_score, grade.needs_manual_grade = 0.0, waiting.get(name, given)
            self._session.flush()
            self._assign_penalty(student)

    def receive(self, student: str, received: datetime | None) -> None:
        """Save when the work was received, and the late penalty by the current due date."""
        with self._transaction():
            self._submission(student, received)
            self._assign_penalty(student)

    def _submission(self, student: str, received: datetime | None) -> api.SubmittedAssignment:
        when = naive(received)
        submission = self._book.update_or_create_submission(
            self.problem_set, student, timestamp=when
        )
        if self.rules.due is not None:
            self._extend(submission)
        return submission

    def _grades(self, student: str) -> dict[str, api.Grade]:
        rows = self._session.execute(self._rows(api.Grade, student))
        return {name: grade for grade, name in rows}

    def _comments(self, student: str) -> dict[str, api.Comment]:
        rows = self._session.execute(self._rows(api.Comment, student))
        return {name: comment for comment, name in rows}

    def _rows(self, what: type[api.Grade] | type[api.Comment], student: str) -> Any:
        return (
            select(what, api.BaseCell.name)
            .join(api.BaseCell, what.cell_id == api.BaseCell.id)
            .join(api.SubmittedNotebook, what.notebook_id == api.SubmittedNotebook.id)
            .join(api.SubmittedAssignment)
            .join(api.Assignment)
            .join(api.Notebook, api.SubmittedNotebook.notebook_id == api.Notebook.id)
            .where(
                api.Assignment.name == self.problem_set,
                api.Notebook.name == self.name,
                api.SubmittedAssignment.student_id == student,
            )
        )

    def _assign_penalty(self, student: str) -> None:
        submission = self._book.find_submission(self.problem_set, student)
        notebook = self._book.find_submission_notebook(self.name, self.problem_set, student)
        notebook.late_submission_penalty = None
        # The session may have read the sum before the scores were written.
        self._session.flush()
        self._session.expire(notebook)
        late = submission.total_seconds_late
        if late > 0 and self.rules.penalty is not None:
            score, most = notebook.score, notebook.max_score
            notebook.late_submission_penalty = self.rules.penalty.points(late, score, most)
        elif late > 0:
            assign = AssignLatePenalties(config=self.config, log=quiet_log())
            assign.init_plugin()
            penalty = assign.plugin_inst.late_submission_penalty(student, notebook.score, late)
            if penalty is not None:
                notebook.late_submission_penalty = assign._check_late_penalty(notebook, penalty)

    # -- reading ---------------------------------------------------------------------------------

    def marks(self, student: str) -> Marks | None:
        """A student's marks; ``None`` if the gradebook has none."""
        return self.all_marks(student).get(student)

    def most(self) -> dict[str, float]:
        """The points that each graded cell carries now."""
        return {
            cell.name: cell.max_score
            for cell in self._book.find_notebook(self.name, self.problem_set).grade_cells
        }

    def marked_by(self, marker: str) -> None:
        """From now on, the record of manual marks names this marker beside the account."""
        self._session.info[MARKER] = marker

    def autos(self, student: str) -> dict[str, float | None]:
        """A student's automatic points by graded cell; empty if the gradebook has none."""
        marks = self.marks(student)
        return marks.autos() if marks else {}

    def all_marks(self, student: str | None = None, cell: str | None = None) -> dict[str, Marks]:
        """The marks by student: of the one named, or of all; of one cell, or of all."""
        marks: dict[str, Marks] = {}
        for submission, notebook in self._session.execute(
            self._of(student, select(api.SubmittedAssignment, api.SubmittedNotebook))
        ):
            marks[submission.student_id] = Marks(
                penalty=notebook.late_submission_penalty or 0.0,
                late_seconds=float(submission.total_seconds_late),
                received=submission.timestamp,
                due=submission.duedate if submission.assignment.duedate else None,
            )
        if not marks:
            self._session.rollback()
            return marks
        wanted = [] if cell is None else [api.BaseCell.name == cell]
        grade = api.Grade
        columns = (grade.auto_score, grade.manual_score, grade.extra_credit)
        for name, where, *rest in self._session.execute(
            self._of(
                student,
                select(
                    api.SubmittedAssignment.student_id,
                    api.BaseCell.name,
                    *columns,
                    grade.needs_manual_grade,
                ),
            )
            .join(grade, grade.notebook_id == api.SubmittedNotebook.id)
            .join(api.BaseCell, grade.cell_id == api.BaseCell.id)
            .where(*wanted)
        ):
            marks[name].grades[where] = Mark(*rest)
        comment = api.Comment
        for name, where, text in self._session.execute(
            self._of(
                student,
                select(api.SubmittedAssignment.student_id, api.BaseCell.name, comment.comment),
            )
            .join(comment, comment.notebook_id == api.SubmittedNotebook.id)
            .join(api.BaseCell, comment.cell_id == api.BaseCell.id)
            .where(*wanted)
        ):
            if text:
                marks[name].comments[where] = text
        self._session.rollback()
        return marks

    def _of(self, student: str | None, query: Any) -> Any:
        query = (
            query.select_from(api.SubmittedAssignment)
            .join(api.Assignment, api.SubmittedAssignment.assignment_id == api.Assignment.id)
            .join(
                api.SubmittedNotebook,
                api.SubmittedNotebook.assignment_id == api.SubmittedAssignment.id,
            )
            .join(api.Notebook, api.SubmittedNotebook.notebook_id == api.Notebook.id)
            .where(api.Assignment.name == self.problem_set, api.Notebook.name == self.name)
        )
        return (
            query if student is None else query.where(api.SubmittedAssignment.student_id == student)
        )


def naive(when: datetime | None) -> datetime | None:
    """The time in UTC without a zone, as nbgrader stores it."""
    return when and when.astimezone(UTC).replace(tzinfo=None)


class _Loaded:
    """Stands in for a gradebook in nbgrader's preprocessor, with rows already loaded."""

    def __init__(self, grades: dict, comments: dict):
        self.db, self._grades, self._comments = self, grades, comments

    def commit(self) -> None:
        """Do nothing: everything is written at once, not after each cell."""

    def find_grade(self, name: str, *_: str) -> api.Grade:
        return self._grades[name]

    def find_comment(self, name: str, *_: str) -> api.Comment:
        return self._comments[name]
