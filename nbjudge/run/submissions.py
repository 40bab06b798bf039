"""Take a submission from what was handed in to the gradebook.

It is prepared, judged elsewhere, and committed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import nbformat

from nbjudge.failure import GradingFailed
from nbjudge.files import write_whole
from nbjudge.intake import cells, enclosures, find, which
from nbjudge.intake.merge import blank
from nbjudge.intake.notes import Notes
from nbjudge.intake.other_set import names_elsewhere
from nbjudge.intake.policy import check_tests
from nbjudge.intake.recover import source_digest
from nbjudge.intake.release import release_folder
from nbjudge.judge import Job, Judged, Limits, imports_of, names_of
from nbjudge.judge.names import libraries
from nbjudge.run.bench import Terms
from nbjudge.run.helper import Helper, TooMuch
from nbjudge.run.parcels import pack_job
from nbjudge.run.standing import Standing, written_time
from nbjudge.store import ledger
from nbjudge.store.digests import judge_digest
from nbjudge.store.folder import GradingFolder
from nbjudge.store.gradebook import Book, Marks, naive
from nbjudge.store.ledger import Entry, Ledger
from nbjudge.store.results import StudentResult

#: Warning in the report, on every page and at the end of the run.
NO_SANDBOX = (
    "Graded without a sandbox: learners' code ran with the permissions of the grading account."
)

#: What the ledger keeps of each test's judgement, besides its score.
KEPT = ("message", "seconds", "seen", "measured", "in_hidden")


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
            template=nbformat.v4.writes(self.blank),
            release=nbformat.v4.writes(self.release),
            given_out=self.versions_given_out(),
            names={name: list(names) for name, names in self.names.items()},
            notebook=folder.name,
            elsewhere=names_elsewhere(folder.course, folder.name),
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
        settings = hashlib.sha256(json.dumps([self.known, asdict(limits), sandboxed]).encode())
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
        found = json.loads(self.ledger.fact(name) or "{}")
        given = release_folder(self.problem_set, self.folder.course)
        stored = given / f"{self.folder.name}.ipynb"
        releases = [self.release]
        if stored.is_file():
            releases.append(nbformat.read(stored, as_version=4))
        for cell in (cell for one in releases for cell in one.cells if cells.is_locked(cell)):
            known = found.setdefault(cells.grade_id(cell), [])
            if (digest := source_digest(cell.source)) not in known:
                known.append(digest)
        self.ledger.note(name, json.dumps(found))
        return found

    def terms(self, scheduler: str | None) -> Terms:
        """The settings for all jobs, for local workers or a scheduler's."""
        digest = judge_digest() if scheduler else ""
        given = self.files, cells.locked_code(self.blank), digest
        return Terms(self.sandboxed, *given, self.known, libraries(self.imports))

    # -- plan ------------------------------------------------------------------------------------

    def key(self, submission: find.Submission) -> str:
        """A key that changes with the submission, the problem set, the judge and the limits."""
        found = [submission.digest, submission.problem, *submission.flags, *self.judge]
        found += [enclosures.digest(submission.enclosed), repr(submission.refused)]
        return hashlib.sha256("\0".join(found).encode()).hexdigest()

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
            found = self.helper.do("stage", content=submission.content)
        except TooMuch as error:
            found = {"problem": str(error), "notes": {}}
        prepared.notes.extend(Notes(**found["notes"]))
        if found["problem"]:
            prepared.refuse(f"{self.folder.name}.ipynb {found['problem']}")
        else:
            prepared.notebook = found["notebook"]
            self.look_into(prepared)
        return prepared

    def look_into(self, prepared: Prepared) -> None:
        """Refuse invalid files handed in with the notebook."""
        submission = prepared.submission
        for name, content in list(submission.enclosed.items()):
            try:
                problem = self.helper.do("enclosed", content=content)["problem"]
            except TooMuch as error:
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
        student, before = prepared.student, entry.record
        try:
            run = self.as_run(prepared.notebook or "", judged)
        except TooMuch as error:
            prepared.refuse(f"{self.folder.name}.ipynb {error}")
            return self.settle_nothing(prepared)
        settled, old_marks = self.by_hand(prepared, before)
        received = prepared.submission.received
        judged_scores = self.book.save(student, nbformat.v4.reads(run), received, settled)
        write_whole(self.folder.notebook("autograded", student), run)
        marks = self.book.marks(student)
        record = self.record(prepared, marks, judged)
        record["scores"], record["set_aside"] = judged_scores, before.get("set_aside", {})
        self.stamp(student, prepared.submission)
        record["old_marks"] = old_marks
        if marks and self.readjust(student, record, marks):
            marks = self.book.marks(student)
        return self.finish(student, prepared.key, entry.seed, record, run, marks)

    def by_hand(
        self, prepared: Prepared, before: dict
    ) -> tuple[dict[str, tuple[float, bool]], dict[str, float]]:
        """The manual marks that were given on this same work, and those given on other work."""
        marks = self.book.marks(prepared.student)
        given = marks.by_hand() if marks else {}
        now = self.record_of_files(prepared.submission)
        if all(before.get(name, "") == digest for name, digest in now.items()):
            return given, before.get("old_marks", {})
        return {}, {name: mark for name, (mark, _) in given.items()}

    def as_run(self, notebook: str, judged: Judged) -> str:
        """Our notebook with its cells' outputs; nothing else in the judgement is used.

        Raises
        ------
        GradingFailed
            If the judgement does not belong to this notebook.
        TooMuch
            If the outputs cannot be read within limits, not even those of the tests alone.
        """
        given = {"notebook": notebook, "judged": judged.notebook, "tests": judged.tests}
        try:
            found = self.helper.do("run", **given, bare=False)
        except TooMuch as error:
            judged.flags.append(f"its cells' output is not shown: it {error}")
            judged.told.append(f"The output of your cells is not shown here: it {error}.")
            found = self.helper.do("run", **given, bare=True)
        if found["failed"]:
            raise GradingFailed(found["failed"])
        return found["run"]

    def prints(self, prepared: Prepared) -> dict[str, dict[str, str]]:
        """The answers' fingerprints, for the record; empty if they exceed the limits."""
        try:
            return self.helper.do("prints", notebook=prepared.notebook)
        except TooMuch as error:
            prepared.notes.add(f"its answers were not compared with others': it {error}")
            return {}

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
        given = {"name": self.work, "result": asdict(result), "about": about}
        for shown, colours in ((run, True), (run, False), (None, False)):
            try:
                page = self.helper.do(
                    "page", **given, run=shown, warnings=warnings, colours=colours
                )
                break
            except TooMuch as error:
                if not colours:
                    warnings = [*warnings, f"Your notebook is not shown here: it {error}."]
        write_whole(self.folder.page(student), page["page"])

    def stamp(self, student: str, submission: find.Submission) -> None:
        """Write the time of receipt where nbgrader looks for it.

        It tells the formgrader that what it shows was made from what was handed in.
        """
        path = self.folder.path("submitted", student) / which.TIMESTAMP
        if submission.received is None:
            path.unlink(missing_ok=True)
        elif path.parent.is_dir():
            write_whole(path, f"{submission.received:%Y-%m-%d %H:%M:%S} UTC\n")

    @staticmethod
    def record_of_files(submission: find.Submission) -> dict[str, str]:
        """The digests that reveal whether the work has changed."""
        return {"digest": submission.digest, "enclosed": enclosures.digest(submission.enclosed)}

    def record(self, prepared: Prepared, marks: Marks | None, judged: Judged | None = None) -> dict:
        """The ledger's record of a submission, besides its marks."""
        submission = prepared.submission
        record: dict[str, Any] = {
            **self.record_of_files(submission),
            "received": written_time(submission.received),
            "late": submission.late,
            "left_out": submission.left_out,
            "tests": {},
            # The points that grading wrote to the gradebook, to detect any written otherwise.
            "auto": marks.autos() if marks else {},
        }
        notes = Notes()
        if prepared.notebook is not None:
            record |= self.prints(prepared)
        notes.extend(prepared.notes)
        if judged is not None:
            notes.extend(Notes(flags=judged.flags, told=judged.told, held=judged.held))
            record["tests"] = {
                name: {key: test.get(key) for key in KEPT} for name, test in judged.tests.items()
            }
            record |= {
                "seconds": judged.seconds,
                "cpu_seconds": judged.cpu_seconds,
                "memory_mb": judged.peak_memory_mb,
                "sandbox": judged.sandbox,
            }
        return record | vars(notes)

    def settle_nothing(self, prepared: Prepared) -> StudentResult:
        """Give 0 points if nothing can be judged, with the reason."""
        student = prepared.student
        settled, old_marks = self.by_hand(prepared, self.ledger.entry(self.work, student).record)
        if prepared.submission.content is not None or self.book.marks(student) is not None:
            self.book.save_nothing(student, prepared.submission.received, settled)
        for step in ("submitted", "autograded"):
            shutil.rmtree(self.folder.path(step, student), ignore_errors=True)
        prepared.notes.flags.append(prepared.problem)
        marks = self.book.marks(student)
        record = self.record(prepared, marks) | {"old_marks": old_marks}
        return self.finish(student, prepared.key, None, record, None, marks)

    def finish(
        self,
        student: str,
        key: str,
        seed: int | None,
        record: dict,
        run: str | None,
        marks: Marks | None,
    ) -> StudentResult:
        """Write the page and, last of all, mark the submission as finished in the ledger."""
        record["shown"] = self.standing.shown(student, record, marks)
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
        record, changed = entry.record, False
        if marks is not None:
            if entry.seed is not None and self.readjust(student, record, marks):
                changed = True
            late = marks.late_seconds or marks.penalty
            if changed or late or marks.received != naive(submission.received):
                self.book.receive(student, submission.received)
                self.stamp(student, submission)
                marks = self.book.marks(student)
        known = {"received": written_time(submission.received), "late": submission.late}
        changed = changed or any(record.get(name) != value for name, value in known.items())
        record |= known
        if not changed and record.get("shown", "") == self.standing.shown(student, record, marks):
            return self.standing.result(student, record, entry.seed, marks)
        run = None
        if entry.seed is not None:
            run = self.folder.notebook("autograded", student).read_text(encoding="utf-8")
        return self.finish(student, entry.key, entry.seed, record, run, marks)

    def readjust(self, student: str, record: dict, marks: Marks) -> bool:
        """Apply the tests currently void or rescaled to the marks; returns whether any changed.

        A manual mark on a void test is set aside in the ledger, and restored with the test. It is
        written there before it is removed from the gradebook, so that nothing is lost if the run is
        killed in between.
        """
        judged = record.get("scores") or {name: mark.auto for name, mark in marks.grades.items()}
        aside = record.setdefault("set_aside", {})
        taken = {
            name: marks.grades[name].manual
            for name in self.rules.void & marks.grades.keys()
            if marks.grades[name].manual is not None
        }
        back = {
            name: mark
            for name, mark in aside.items()
            if name not in self.rules.void and name in marks.grades
        }
        now = self.standing.adjustments()
        if record.get("adjusted", [[], []]) == now and not taken:
            return False
        record["scores"] = judged
        record["old_points"] = {
            name: marks.grades[name].manual
            for name in self.rules.points
            if name in marks.grades and marks.grades[name].manual is not None
        }
        aside |= taken
        self.ledger.remember(self.work, student, record)
        by_hand = {name: mark for name, mark in back.items() if marks.grades[name].manual is None}
        self.book.adjust(student, judged, self.graded, dict.fromkeys(taken) | by_hand)
        for name in back:
            del aside[name]
        record["adjusted"], record["auto"] = now, self.book.autos(student)
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
