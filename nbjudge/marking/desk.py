"""A marker's desk: questions, answers and marks, joined from all the places that hold them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace

import nbformat

from nbjudge.intake import cells
from nbjudge.intake.merge import blank
from nbjudge.intake.messages import Opened, Render
from nbjudge.marking.record import Act, account, last_acts, record_marks
from nbjudge.marking.rubric import MarkersChoice, RegradeRequest, Rubric, RubricItem, now, total
from nbjudge.marking.scheme import Scheme, read_scheme
from nbjudge.report.feedback import headings
from nbjudge.report.rich import rich
from nbjudge.run.helper import Helper, StepFailed
from nbjudge.store.folder import GradingFolder
from nbjudge.store.gradebook import Book, Mark, Marks

#: An answer's standing: marked; marked before the work changed; to be marked; nothing to mark.
MARKED, AGAIN, OPEN, NOTHING = "marked", "again", "open", "nothing"

#: Maximum number of characters of a comment, a request or an item.
LONGEST = 20_000


class Deleted(Exception):
    """The mark would use an item that has been deleted; the message says which and by whom."""


class Conflict(Exception):
    """The mark was changed since the marker saw it; ``now`` is the answer as it is."""

    def __init__(self, now: Answer):
        super().__init__("somebody else has changed this mark")
        self.now = now


@dataclass(frozen=True)
class Question:
    """A question that is marked by hand.

    ``id`` names it on the page, ``work`` and ``cell`` in the graded folder, ``text`` is what
    learners were asked, ``prose`` whether they answer in words, and ``agrees`` whether its rubric
    is made from today's mark scheme.
    """

    id: str
    work: str
    cell: str
    title: str
    text: str
    most: float
    scheme: Scheme
    prose: bool = True
    agrees: bool = True


@dataclass(frozen=True)
class Answer:
    """One learner's answer to a question, with its mark.

    ``seen`` changes with every change of the mark; ``by`` and ``time`` say who changed it last and
    when, and are empty if that is not on record.
    """

    student: str
    standing: str
    points: float | None
    items: dict[int, float] = field(default_factory=dict)
    adjustment: float = 0.0
    comment: str = ""
    extra: float = 0.0
    by: str = ""
    time: str = ""
    seen: str = ""


class MarkingDesk:
    """The open desk for one problem set; a context manager.

    Parameters
    ----------
    folders:
        The graded folder, once for each notebook of the problem set.
    marker:
        Who marks; by default the account.
    """

    def __init__(self, folders: list[GradingFolder], marker: str = ""):
        self.into, self.problem_set = folders[0].into, folders[0].problem_set
        self.account = account()
        self.marker = marker or self.account
        self._folders = {folder.work: folder for folder in folders}
        self._books: dict[str, Book] = {}
        self._rendered: dict[tuple[str, str], tuple[int, dict[str, str]]] = {}
        record_marks(self.into)
        self.rubric = Rubric(self.into)
        for folder in folders:
            book = Book(
                folder.url, folder.course_id, self.problem_set, folder.config, notebook=folder.name
            )
            book.marked_by(self.marker)
            self._books[folder.work] = book
        first = folders[0]
        release, source = first.release(), first.source()
        template = nbformat.v4.writes(blank(source, release))
        self._helper = Helper(Opened(template=template, release=nbformat.v4.writes(release)))
        self.questions = {
            question.id: question for folder in folders for question in self._questions(folder)
        }

    def __enter__(self) -> MarkingDesk:
        return self

    def __exit__(self, *_: object) -> None:
        self._helper.close()
        self.rubric.close()
        for book in self._books.values():
            book.__exit__()

    def _questions(self, folder: GradingFolder) -> list[Question]:
        questions: list[Question] = []
        points, title, before = self._books[folder.work].most(), "", ""
        for cell in folder.source().cells:
            name = cells.grade_id(cell)
            if cells.is_answer(cell) and cells.is_graded(cell):
                most = points.get(name, cells.points(cell))
                scheme = read_scheme(cell.source, most)
                questions.append(
                    Question(
                        id=f"{folder.name}/{name}",
                        work=folder.work,
                        cell=name,
                        title=title or cells.exercise_of(name),
                        text=before,
                        most=most,
                        scheme=scheme,
                        prose=cell.cell_type == "markdown",
                        agrees=self.rubric.begin(folder.work, name, scheme),
                    )
                )
            elif cell.cell_type == "markdown":
                heads = headings(cell)
                title = heads[-1] if heads else title
                before = cell.source if heads else f"{before}\n\n{cell.source}"
        return questions

    # -- reading ---------------------------------------------------------------------------------

    def exercises(self) -> list[str]:
        """The problem set's exercises."""
        graded = next(iter(self._folders.values())).graded()
        return list(dict.fromkeys(map(cells.exercise_of, graded)))

    def students(self) -> list[str]:
        """Everybody whose work is in the gradebook, sorted."""
        students = {student for book in self._books.values() for student in book.all_marks(cell="")}
        return sorted(students)

    def answers(self, question: Question) -> dict[str, Answer]:
        """All learners' answers to a question, by student, sorted."""
        everything = self._books[question.work].all_marks(cell=question.cell)
        choices = self.rubric.choices(question.work, question.cell)
        acts = last_acts(self.into, self.problem_set)
        return {
            student: self._answer(question, student, marks, choices.get(student), acts)
            for student, marks in sorted(everything.items())
            if question.cell in marks.grades
        }

    def answer(self, question: Question, student: str) -> Answer:
        """One learner's answer.

        Raises
        ------
        KeyError
            If there is none.
        """
        marks = self._books[question.work].all_marks(student, question.cell).get(student)
        if marks is None or question.cell not in marks.grades:
            raise KeyError(student)
        choice = self.rubric.choices(question.work, question.cell).get(student)
        acts = last_acts(self.into, self.problem_set)
        return self._answer(question, student, marks, choice, acts)

    def _answer(
        self,
        question: Question,
        student: str,
        marks: Marks,
        choice: MarkersChoice | None,
        acts: dict[tuple[str, str], Act],
    ) -> Answer:
        mark, comment = marks.grades[question.cell], marks.comments.get(question.cell, "")
        if choice is None or choice.points != mark.manual:
            # Marked in the formgrader, or not at all: the points are no sum of items.
            choice = MarkersChoice({}, mark.manual or 0.0)
        act = acts.get((student, question.cell))
        recorded = act is not None and act.points == mark.manual
        seen = [mark.manual, mark.extra or 0, mark.waits, comment, asdict(choice)]
        return Answer(
            student,
            _standing(mark),
            mark.auto if mark.manual is None else mark.manual,
            choice.items,
            choice.adjustment,
            comment,
            mark.extra or 0.0,
            act.who if act and recorded else "",
            act.time if act and recorded else "",
            hashlib.sha256(json.dumps(seen).encode()).hexdigest()[:16],
        )

    def html(self, question: Question, student: str) -> str:
        """What the learner wrote, as harmless HTML; empty if the work could not be read."""
        folder = self._folders[question.work]
        path = folder.notebook("autograded", student)
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            return ""
        kept = self._rendered.get((question.work, student))
        if kept is None or kept[0] != stamp:
            text = path.read_text(encoding="utf-8")
            try:
                rendered = self._helper.do(Render(notebook=text)).answers
            except StepFailed as error:
                rendered = {question.cell: rich(f"This answer is not shown: it {error}.")}
            kept = self._rendered[question.work, student] = stamp, rendered
        return kept[1].get(question.cell, "")

    def page(self, question: Question, student: str) -> str:
        """The learner's feedback page, which shows the whole notebook; empty if there is none."""
        path = self._folders[question.work].page(student)
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def items(self, question: Question) -> list[RubricItem]:
        """The question's rubric, deleted items included."""
        return self.rubric.items(question.work, question.cell)

    def requests(self) -> list[RegradeRequest]:
        """The regrade requests on this problem set."""
        return self.rubric.requests(self.problem_set)

    # -- writing ---------------------------------------------------------------------------------

    def save(
        self,
        question: Question,
        student: str,
        choice: MarkersChoice | None,
        comment: str,
        seen: str,
    ) -> Answer:
        """Save a mark and a comment; returns the answer as it is then.

        Parameters
        ----------
        question, student:
            Whose answer to what.
        choice:
            The items and the adjustment; ``None`` takes the mark back.
        comment:
            The comment, which the learner will read.
        seen:
            The answer's ``seen`` when the marker looked at it.

        Raises
        ------
        Conflict
            If the mark has been changed since, on another page or in the formgrader.
        Deleted
            If an item of the choice has been deleted.
        """
        with self.rubric.locked():
            before = self.answer(question, student)
            if before.seen != seen:
                raise Conflict(before)
            points = None
            if choice is not None:
                items = self.items(question)
                for item in items:
                    if item.deleted and item.number in choice.items:
                        raise Deleted(f"Item {item.number} was deleted by {item.deleted}.")
                points = total(items, choice, question.most)
            self._books[question.work].mark(question.cell, {student: points}, comment)
            choice = replace(choice or MarkersChoice(), points=points)
            self.rubric.choose(question.work, question.cell, student, choice)
        return self.answer(question, student)

    def edit(self, question: Question, number: int, text: str, points: float) -> int:
        """Change an item, or add one with the number 0, for all answers.

        Every mark that was given with the item changes with its points. Returns how many did.
        """
        with self.rubric.locked():
            items = {item.number: item for item in self.items(question)}
            if number:
                return self._put(question, replace(items[number], text=text, points=points))
            number = max(items, default=0) + 1
            return self._put(question, RubricItem(number, text, points, added=self.marker))

    def delete(self, question: Question, number: int, uses: int | None = None) -> int:
        """Delete an item for all answers; their marks are computed without it.

        ``uses`` is the number of marks with the item that the marker knows of. If it is another
        number by now, or ``None``, nothing is deleted. Returns how many marks use the item.
        """
        with self.rubric.locked():
            used = sum(number in answer.items for answer in self.answers(question).values())
            if used == uses:
                items = {item.number: item for item in self.items(question)}
                self._put(question, replace(items[number], deleted=self.marker))
        return used

    def bring_back(self, question: Question, number: int) -> int:
        """Undo a deletion: marks that were given with the item have its points again.

        Returns how many marks have changed.
        """
        with self.rubric.locked():
            items = {item.number: item for item in self.items(question)}
            return self._put(question, replace(items[number], deleted=""))

    def _put(self, question: Question, item: RubricItem) -> int:
        """Store the item and compute every mark given with it; how many have changed."""
        self.rubric.put(question.work, question.cell, item)
        items, changed = self.items(question), {}
        book = self._books[question.work]
        everything = book.all_marks(cell=question.cell)
        for student, choice in self.rubric.choices(question.work, question.cell).items():
            marks = everything.get(student)
            mark = marks.grades.get(question.cell) if marks else None
            if item.number not in choice.items or mark is None or mark.manual != choice.points:
                continue
            given = total(items, choice, question.most)
            if given != mark.manual:
                changed[student] = given
                after = replace(choice, points=given)
                self.rubric.choose(question.work, question.cell, student, after)
        if changed:
            book.mark(question.cell, dict(changed), looked=False)
        return len(changed)

    def ask(self, student: str, exercise: str, text: str, asked: str = "") -> bool:
        """Put a learner's request on record; returns whether it is new.

        Raises
        ------
        ValueError
            If there is no such learner or exercise, or no text.
        """
        if student not in self.students():
            raise ValueError(f"there is no work of a learner called {student!r} in the gradebook")
        if exercise not in self.exercises():
            raise ValueError(
                f"{exercise!r} is none of the exercises: {', '.join(self.exercises())}"
            )
        if not text.strip():
            raise ValueError("the text of the request is missing")
        return self.rubric.ask(
            self.problem_set, student, exercise, text.strip()[:LONGEST], self.marker, asked or now()
        )

    def reply(self, number: int, text: str) -> None:
        """Answer a request."""
        self.rubric.answer(number, text.strip(), self.marker)


def _standing(mark: Mark) -> str:
    if mark.manual is not None:
        return AGAIN if mark.waits else MARKED
    return OPEN if mark.auto is None else NOTHING
