"""Take a submission from what was handed in to the gradebook.

It is prepared, judged elsewhere, and committed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass, field
from datetime import datetime

import nbformat

from nbjudge.failure import GradingFailed
from nbjudge.files import write_whole
from nbjudge.inside.messages import pack
from nbjudge.intake import cells, enclosures, find, which
from nbjudge.intake.merge import blank
from nbjudge.intake.messages import (
    AddOutputs,
    LookInto,
    Opened,
    Stage,
    Staged,
    TakePrints,
    WritePage,
)
from nbjudge.intake.notes import Notes
from nbjudge.intake.other_set import names_elsewhere
from nbjudge.intake.policy import check_tests
from nbjudge.intake.recover import source_digest
from nbjudge.intake.sources import release_folder
from nbjudge.judge import Job, Judged, Limits, imports_of, names_of
from nbjudge.judge.names import libraries
from nbjudge.run.bench import RunSettings
from nbjudge.run.helper import Helper, StepFailed
from nbjudge.run.parcels import pack_job
from nbjudge.run.standing import Standing, written_time
from nbjudge.store import ledger
from nbjudge.store.digests import judge_digest
from nbjudge.store.folder import GradingFolder
from nbjudge.store.gradebook import Book, Marks, naive
from nbjudge.store.ledger import Entry, Ledger
from nbjudge.store.record import Record, TestRecord
from nbjudge.store.results import StudentResult

#: Warning in the report, on every page and at the end of the run.
NO_SANDBOX = (
    "Graded without a sandbox: learners' code ran with the permissions of the grading account."
)


@dataclass
class Prepared:
    """One student's answers in the instructor's notebook, judged or ready to be.

    The notebook is JSON.
    """

    student: str
    submission: find.Submission
    key: str
    notebook: str | None = None
    notes: Notes = field(default_factory=Notes)
    problem: str = ""

    def refuse(self, problem: str) -> None:
        """Note that nothing can be judged, although something was handed in."""
        self.problem = problem
        self.notes.refuse(problem)


class Grading:
    """One run of the grader over a class, for one notebook."""

    def __init__(
        self,
        folder: GradingFolder,
        book: Book,
        kept: Ledger,
        limits: Limits,
        sandboxed: bool,
    ):
        self.folder, self.book, self.ledger = folder, book, kept
        self.problem_set, self.work, self.limits = folder.problem_set, folder.work, limits
        self.release, source = folder.release(), folder.source()
        self.names, self.accepts = names_of(source), folder.accepts(kept)
        self.imports = imports_of(self.release, source)
        self.blank = blank(source, self.release)
        # Reads what learners wrote, so that this process need not.
        self.helper = Helper(
            Opened(
                template=nbformat.v4.writes(self.blank),
                release=nbformat.v4.writes(self.release),
                given_out=self.versions_given_out(),
                names={name: list(names) for name, names in self.names.items()},
                notebook=folder.name,
                elsewhere=names_elsewhere(folder.course, folder.name),
            )
        )
        self.graded = {
            cells.grade_id(cell): cells.points(cell)
            for cell in self.blank.cells
            if cells.is_graded(cell)
        }
        self.rules = book.rules = check_tests(book.rules, folder.graded(), self.problem_set)
        self.apply_rules()
        self.sandboxed, self.warnings = sandboxed, [] if sandboxed else [NO_SANDBOX]
        self.files, self.known = folder.files(), folder.known()
        self.standing = Standing(folder, kept, self.graded, self.rules)
        settings = hashlib.sha256(pack([self.known, limits, sandboxed]))
        self.judge = [folder.digest(), judge_digest(), settings.hexdigest()]

    def apply_rules(self) -> None:
        """Write due dates and points to the gradebook; remove those of deleted rules."""
        name, due = f"{self.work}: due by rules", self.rules.due
        before = self.ledger.fact(name)
        self.ledger.note(name, before or ("" if due is None else "yes"))
        self.book.apply_rules(self.graded, undo=bool(before))
        self.ledger.note(name, "" if due is None else "yes")

    def versions_given_out(self) -> dict[str, list[str]]:
        """Digests of each locked cell in every version that learners may have been given.

        These are the current version, the course's stored release, and all that were graded before.
        """
        name = f"{self.work}: versions"
        versions = json.loads(self.ledger.fact(name) or "{}")
        given = release_folder(self.problem_set, self.folder.course)
        stored = given / f"{self.folder.name}.ipynb"
        releases = [self.release]
        if stored.is_file():
            releases.append(nbformat.read(stored, as_version=4))
        for cell in (cell for one in releases for cell in one.cells if cells.is_locked(cell)):
            known = versions.setdefault(cells.grade_id(cell), [])
            if (digest := source_digest(cell.source)) not in known:
                known.append(digest)
        self.ledger.note(name, json.dumps(versions))
        return versions

    def terms(self, scheduler: str | None) -> RunSettings:
        """The settings for all jobs, for local workers or a scheduler's."""
        digest = judge_digest() if scheduler else ""
        given = self.files, cells.locked_code(self.blank), digest
        return RunSettings(self.sandboxed, *given, self.known, libraries(self.imports))

    # -- plan ------------------------------------------------------------------------------------

    def key(self, submission: find.Submission) -> str:
        """A key that changes with the submission, the problem set, the judge and the limits."""
        parts = [submission.digest, submission.problem, *submission.flags, *self.judge]
        parts += [enclosures.digest(submission.enclosed), repr(submission.refused)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def is_finished(self, student: str, entry: Entry, key: str, seed: int | None) -> bool:
        """Whether exactly this was graded by this judge, and the resulting files still exist."""
        made = [self.folder.page(student)]
        if entry.seed is not None:
            made.append(self.folder.notebook("autograded", student))
        return (
            entry.state == ledger.FINISHED
            and entry.key == key
            and (seed is None or entry.seed in (seed, None))
            and all(path.is_file() for path in made)
        )

    # -- stage -----------------------------------------------------------------------------------

    def prepare(self, student: str, submission: find.Submission) -> Prepared:
        """Merge the answers, if there are any, into our notebook."""
        prepared = Prepared(student, submission, self.key(submission))
        prepared.notes.extend(submission)
        if submission.content is None:
            prepared.problem = submission.problem
            if submission.problem == which.NOTHING:
                prepared.notes.told.append(f"You have not handed in {self.folder.name}.ipynb.")
            return prepared
        try:
            staged = self.helper.do(Stage(content=submission.content))
        except StepFailed as error:
            staged = Staged(notes=Notes(), problem=str(error))
        prepared.notes.extend(staged.notes)
        if staged.problem:
            prepared.refuse(f"{self.folder.name}.ipynb {staged.problem}")
        else:
            prepared.notebook = staged.notebook
            self.look_into(prepared)
        return prepared

    def look_into(self, prepared: Prepared) -> None:
        """Refuse invalid files handed in with the notebook."""
        submission = prepared.submission
        for name, content in list(submission.enclosed.items()):
            try:
                problem = self.helper.do(LookInto(content=content)).problem
            except StepFailed as error:
                problem = str(error)
            if problem:
                submission.refused[name] = problem
                del submission.enclosed[name]
        for name, why in submission.refused.items():
            prepared.notes.add(
                f"{name} {why}",
                f"{name} {why}.",
                held=why != enclosures.MISSING,
            )

    def job(self, prepared: Prepared, seed: int) -> bytes:
        """The job to send to a worker; it is queued in the ledger."""
        text = prepared.notebook or ""
        write_whole(self.folder.notebook("submitted", prepared.student), text)
        self.ledger.queue(self.work, prepared.student, prepared.key, seed)
        job = Job(
            student=prepared.student,
            notebook=text.encode(),
            seed=seed,
            limits=self.limits,
            files={},
            names=self.names,
            imports=self.imports,
            accepts=self.accepts,
            enclosed=prepared.submission.enclosed,
            refused=prepared.submission.refused,
        )
        return pack_job(job)

    # -- commit ----------------------------------------------------------------------------------

    def commit(self, prepared: Prepared, entry: Entry, judged: Judged) -> StudentResult:
        """Save a judgement: gradebook, executed notebook, page, and last of all the ledger."""
        student, before = prepared.student, entry.record or Record()
        try:
            run = self.as_run(prepared.notebook or "", judged)
        except StepFailed as error:
            prepared.refuse(f"{self.folder.name}.ipynb {error}")
            return self.settle_nothing(prepared)
        settled, old_marks = self.by_hand(prepared, before)
        received = prepared.submission.received
        judged_scores = self.book.save(student, nbformat.v4.reads(run), received, settled)
        write_whole(self.folder.notebook("autograded", student), run)
        marks = self.book.marks(student)
        record = self.record(prepared, marks, judged)
        record.scores, record.set_aside = judged_scores, before.set_aside
        self.stamp(student, prepared.submission)
        record.old_marks = old_marks
        if marks and self.readjust(student, record, marks):
            marks = self.book.marks(student)
        return self.finish(student, prepared.key, entry.seed, record, run, marks)

    def by_hand(
        self, prepared: Prepared, before: Record
    ) -> tuple[dict[str, tuple[float, bool]], dict[str, float]]:
        """The manual marks that were given on this same work, and those given on other work."""
        marks = self.book.marks(prepared.student)
        given = marks.by_hand() if marks else {}
        if (before.digest, before.enclosed) == digests_of(prepared.submission):
            return given, before.old_marks
        return {}, {name: mark for name, (mark, _) in given.items()}

    def as_run(self, notebook: str, judged: Judged) -> str:
        """Our notebook with its cells' outputs; nothing else in the judgement is used.

        Raises
        ------
        GradingFailed
            If the judgement does not belong to this notebook.
        StepFailed
            If the outputs cannot be read within limits, not even those of the tests alone.
        """
        step = AddOutputs(notebook=notebook, judged=judged.notebook, tests=judged.tests, bare=False)
        try:
            run = self.helper.do(step)
        except StepFailed as error:
            judged.flags.append(f"its cells' output is not shown: it {error}")
            judged.told.append(f"The output of your cells is not shown here: it {error}.")
            step.bare = True
            run = self.helper.do(step)
        if run.failed:
            raise GradingFailed(run.failed)
        return run.notebook

    def prints(self, prepared: Prepared) -> dict[str, str] | None:
        """The answers' fingerprints; ``None`` if they exceed the limits."""
        try:
            return self.helper.do(TakePrints(notebook=prepared.notebook or "")).prints
        except StepFailed as error:
            prepared.notes.add(f"its answers were not compared with others': it {error}")
            return None

    def write_page(
        self, student: str, result: StudentResult, run: str | None, warnings: list[str]
    ) -> None:
        """Write the page, such as ``feedback/STUDENT/PS/PS.html``.

        A notebook that cannot be highlighted is shown plain, or else left out.
        """
        about = [student]
        if result.received:
            received = datetime.fromisoformat(result.received).astimezone(self.rules.zone)
            about.append(f"handed in {received:%Y-%m-%d %H:%M %Z}")
        about.append(f"this page was written {datetime.now(self.rules.zone):%Y-%m-%d}")
        for shown, colours in ((run, True), (run, False), (None, False)):
            try:
                step = WritePage(
                    name=self.work,
                    result=result,
                    run=shown,
                    warnings=warnings,
                    colours=colours,
                    about=about,
                )
                page = self.helper.do(step).page
                break
            except StepFailed as error:
                if not colours:
                    warnings = [*warnings, f"Your notebook is not shown here: it {error}."]
        write_whole(self.folder.page(student), page)

    def stamp(self, student: str, submission: find.Submission) -> None:
        """Write the time of receipt where nbgrader looks for it.

        It tells the formgrader that what it shows was made from what was handed in.
        """
        path = self.folder.path("submitted", student) / which.TIMESTAMP
        if submission.received is None:
            path.unlink(missing_ok=True)
        elif path.parent.is_dir():
            write_whole(path, f"{submission.received:%Y-%m-%d %H:%M:%S} UTC\n")

    def record(
        self, prepared: Prepared, marks: Marks | None, judged: Judged | None = None
    ) -> Record:
        """The ledger's record of a submission, besides its marks."""
        submission = prepared.submission
        prints = None if prepared.notebook is None else self.prints(prepared)
        notes = Notes()
        notes.extend(prepared.notes)
        digest, enclosed = digests_of(submission)
        record = Record(
            digest=digest,
            enclosed=enclosed,
            received=written_time(submission.received),
            late=submission.late,
            left_out=submission.left_out,
            prints=prints,
            auto=marks.autos() if marks else {},
        )
        if judged is not None:
            notes.extend(Notes(flags=judged.flags, told=judged.told, held=judged.held))
            record.tests = {
                name: TestRecord(
                    message=test.message,
                    seconds=test.seconds,
                    seen=test.seen,
                    measured=test.measured,
                    in_hidden=test.in_hidden,
                )
                for name, test in judged.tests.items()
            }
            record.seconds, record.cpu_seconds = judged.seconds, judged.cpu_seconds
            record.memory_mb, record.sandbox = judged.peak_memory_mb, judged.sandbox
        record.flags, record.told, record.held = notes.flags, notes.told, notes.held
        return record

    def settle_nothing(self, prepared: Prepared) -> StudentResult:
        """Give 0 points if nothing can be judged, with the reason."""
        student = prepared.student
        before = self.ledger.entry(self.work, student).record or Record()
        settled, old_marks = self.by_hand(prepared, before)
        if prepared.submission.content is not None or self.book.marks(student) is not None:
            self.book.save_nothing(student, prepared.submission.received, settled)
        for step in ("submitted", "autograded"):
            shutil.rmtree(self.folder.path(step, student), ignore_errors=True)
        prepared.notes.flags.append(prepared.problem)
        marks = self.book.marks(student)
        record = self.record(prepared, marks)
        record.old_marks = old_marks
        return self.finish(student, prepared.key, None, record, None, marks)

    def finish(
        self,
        student: str,
        key: str,
        seed: int | None,
        record: Record,
        run: str | None,
        marks: Marks | None,
    ) -> StudentResult:
        """Write the page and, last of all, mark the submission as finished in the ledger."""
        record.shown = self.standing.shown(student, record, marks)
        result = self.standing.result(student, record, seed, marks)
        self.write_page(student, result, run, self.warnings)
        self.ledger.finish(self.work, student, key, seed, record)
        return result

    def refresh(
        self, student: str, entry: Entry, submission: find.Submission, marks: Marks | None
    ) -> StudentResult:
        """The result of a student who was already finished.

        The page is updated for new manual marks, due dates, times of receipt and rules.
        """
        record, changed = entry.record or Record(), False
        if marks is not None:
            if entry.seed is not None and self.readjust(student, record, marks):
                changed = True
            late = marks.late_seconds or marks.penalty
            if changed or late or marks.received != naive(submission.received):
                self.book.receive(student, submission.received)
                self.stamp(student, submission)
                marks = self.book.marks(student)
        came = written_time(submission.received), submission.late
        changed = changed or came != (record.received, record.late)
        record.received, record.late = came
        if not changed and record.shown == self.standing.shown(student, record, marks):
            return self.standing.result(student, record, entry.seed, marks)
        run = None
        if entry.seed is not None:
            run = self.folder.notebook("autograded", student).read_text(encoding="utf-8")
        return self.finish(student, entry.key, entry.seed, record, run, marks)

    def readjust(self, student: str, record: Record, marks: Marks) -> bool:
        """Apply the tests currently void or rescaled to the marks; returns whether any changed.

        A manual mark on a void test is set aside in the ledger, and restored with the test. It is
        written there before it is removed from the gradebook, so that nothing is lost if the run is
        killed in between.
        """
        judged = record.scores or {name: mark.auto for name, mark in marks.grades.items()}
        aside = record.set_aside
        by_hand = {n: m.manual for n, m in marks.grades.items() if m.manual is not None}
        taken = {name: by_hand[name] for name in self.rules.void & by_hand.keys()}
        back = {
            name: mark
            for name, mark in aside.items()
            if name not in self.rules.void and name in marks.grades
        }
        now = self.standing.adjustments()
        if record.adjusted == now and not taken:
            return False
        record.scores = judged
        record.old_points = {n: by_hand[n] for n in self.rules.points if n in by_hand}
        aside |= taken
        self.ledger.remember(self.work, student, record)
        restored = {name: mark for name, mark in back.items() if name not in by_hand}
        self.book.adjust(student, judged, self.graded, dict.fromkeys(taken) | restored)
        for name in back:
            del aside[name]
        record.adjusted, record.auto = now, self.book.autos(student)
        return True

    def give_up(self, prepared: Prepared, problem: str) -> StudentResult:
        """Give no points yet if the grader itself failed; the next run tries again."""
        self.book.save_nothing(prepared.student, prepared.submission.received)
        self.ledger.failed(self.work, prepared.student)
        shutil.rmtree(self.folder.path("autograded", prepared.student), ignore_errors=True)
        prepared.notes.add(
            f"could not be graded, the next run tries again: {problem}",
            "Your work has not been graded yet, through no fault of yours.",
        )
        marks = self.book.marks(prepared.student)
        result = self.standing.result(prepared.student, self.record(prepared, marks), None, marks)
        self.write_page(prepared.student, result, None, self.warnings)
        return result


def digests_of(submission: find.Submission) -> tuple[str, str]:
    """The digests that reveal whether the work has changed: the notebook's, the other files'."""
    return submission.digest, enclosures.digest(submission.enclosed)
