"""Grade a class on one problem set: read, stage, judge and commit each submission separately.

Workers judge and know nothing about the gradebook. Only this process reads submissions, writes the
gradebook and keeps the ledger from which a killed run resumes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from time import monotonic

from nbjudge import course as course_tree
from nbjudge import sandbox
from nbjudge.failure import GradingFailed
from nbjudge.inside.messages import Malformed
from nbjudge.intake import roster
from nbjudge.intake.find import Submission
from nbjudge.intake.handed_in import HandedIn
from nbjudge.intake.sources import notebooks_in, quiet_log, source_folder
from nbjudge.judge import Limits
from nbjudge.report.overview import mistakes, write_overview
from nbjudge.report.returning import keep_for_exchange
from nbjudge.run.bench import Outcome
from nbjudge.run.judging import dask_cluster, judge_all
from nbjudge.run.parcels import unpack_judged
from nbjudge.run.submissions import Grading, Prepared
from nbjudge.store import ledger
from nbjudge.store.digests import versions
from nbjudge.store.folder import GradingFolder
from nbjudge.store.gradebook import Book
from nbjudge.store.ledger import Entry
from nbjudge.store.results import Report, StudentResult, joined, write_report

#: Called with the number of students finished, the total, and the last one's name.
Progress = Callable[[int, int, str], None]


def grade(
    problem_set: str,
    submitted: Path,
    into: Path,
    *,
    course: Path | None = None,
    limits: Limits | None = None,
    again: Collection[str] = (),
    accept: Collection[str] = (),
    seed: int | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    trust_network: bool = False,
    database: str | None = None,
    sandboxed: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Grade a class's work on a problem set.

    Work that was graded before and has not changed is not run again; manual marks in nbgrader's
    gradebook count and are kept. After being killed at any point, the same call resumes where it
    stopped.

    Parameters
    ----------
    problem_set:
        Its name, such as ``"ps05-self-attention"``.
    submitted:
        The folder that holds ``STUDENT/PS/PS.ipynb`` (or all notebooks of the problem set, if it
        has several) and optionally ``roster.csv``, ``receipts.csv`` and ``class.toml``.
    into:
        Where to write ``grades.csv``, ``report.json``, ``overview/``, ``gradebook.db``,
        ``autograded/`` and ``feedback/``.
    course:
        The course's folder; searched for by default.
    limits:
        Limits on the code's time and memory.
    again:
        Students whose work is run again even if nothing has changed.
    accept:
        Students whose marks are final although something holds them: the instructor has looked. It
        lasts until their work or what holds it changes.
    seed:
        Seed for the hidden tests' inputs, for everyone in this run or, if ``again`` is not empty,
        only for those in it: the seed in the report replays a grading. By default drawn for each
        student.
    workers:
        Number of processes on this machine; by default one per core. 0 and 1: this process.
    scheduler:
        The address of a Dask scheduler whose workers judge instead.
    trust_network:
        Whether the scheduler may be on another machine without TLS.
    database:
        The gradebook's URL, if it is not ``gradebook.db`` in ``into``.
    sandboxed:
        Whether learners' code runs in a sandbox. Without it, the code has the permissions of the
        calling process, and the report says so.
    progress:
        Called with the number of students finished, the total, and the last one's name; the name
        is empty at the beginning.

    Raises
    ------
    ValueError
        If an argument names something that does not exist.
    GradingFailed
        If the problem set itself cannot be graded, another grading has locked the folder, there is
        no sandbox on this machine, the scheduler is not encrypted, or no worker is left.
    """
    started, began = monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    course = (course or course_tree.root()).resolve()
    submitted, into = Path(submitted), Path(into)
    limits = limits or Limits()
    source = source_folder(problem_set, course)
    roster.check_folders(submitted, into)
    handed_in = HandedIn.read(submitted, problem_set, course)
    again, accept = handed_in.named_by("again", again), handed_in.named_by("accept", accept)
    _check_workers(workers, scheduler, trust_network, sandboxed)
    folders = [
        GradingFolder(into, course, problem_set, database, notebook=name)
        for name in notebooks_in(source)
    ]
    first = folders[0]
    with first.only_one(), first.logged(), first.ledger() as kept:
        first.clear()
        first.prepare(kept)
        notes = [*handed_in.notes, *roster.unreadable(submitted)]
        students = handed_in.students
        reports: dict[str, Report] = {}
        for folder in folders:
            with Book(
                folder.url,
                folder.course_id,
                problem_set,
                folder.config,
                handed_in.rules,
                notebook=folder.name,
            ) as book:
                book.enrol(students)
                grading = Grading(folder, book, kept, limits, sandboxed)
                for student in accept:
                    grading.standing.accept(student)
                report = Report(problem_set, {}, started=began, versions=versions())
                report.warnings, report.limits = [*grading.warnings, *notes], asdict(limits)
                run = _Run(grading, report, handed_in, seed, set(again))
                run.tells(progress, len(reports) * len(students), len(folders) * len(students))
                # The same inputs for all notebooks of a student: one seed replays them.
                run.seeds = {n: s.seed for r in reports.values() for n, s in r.students.items()}
                with grading.helper:
                    run.judge(students, workers, scheduler)
            report.students = {name: report.students[name] for name in students}
            reports[folder.name] = report
        report = joined(reports)
        report.seconds = monotonic() - started
        report.mistakes = mistakes(report, course)
        write_report(report, first.into)
        write_overview(report, first)
    return report


def _check_workers(
    workers: int | None, scheduler: str | None, trust_network: bool, sandboxed: bool
) -> None:
    """Refuse a negative number, a scheduler without encryption, and a machine without a sandbox."""
    if workers is not None and workers < 0:
        raise ValueError(f"workers is {workers}, but it must be 0 or more.")
    if scheduler is not None:
        cluster = dask_cluster()
        if not trust_network:
            cluster.refuse_unencrypted(scheduler)
    elif sandboxed:
        sandbox.require()


class _Run:
    """The work of :func:`grade` on one notebook, once everything is open."""

    def __init__(
        self,
        grading: Grading,
        report: Report,
        handed_in: HandedIn,
        seed: int | None,
        again: set[str],
    ):
        self.grading, self.report, self.handed_in = grading, report, handed_in
        self.seed, self.again = seed, again
        self.enclosed = grading.folder.enclosed()
        self.seeds: dict[str, int | None] = {}
        self.under_way: dict[str, tuple[Prepared, Entry]] = {}
        self.tells(None, 0, 0)

    def tells(self, progress: Progress | None, before: int, total: int) -> None:
        """Set the progress callback, the number already finished, and the total."""
        self.progress, self.before, self.total = progress, before, total

    def say(self, student: str) -> None:
        """Report progress after ``student``."""
        if self.progress:
            self.progress(self.before + len(self.report.students), self.total, student)

    def look(self, student: str) -> Submission:
        """Read what a student handed in for this notebook."""
        folder = self.grading.folder
        return self.handed_in.submission(
            student, folder.name, folder.others, self.enclosed, self.grading.files
        )

    def seed_for(self, student: str) -> int | None:
        """The requested seed, or that of the student's other notebook."""
        asked = self.seed if not self.again or student in self.again else None
        return self.seeds.get(student) if asked is None else asked

    def judge(self, students: list[str], workers: int | None, scheduler: str | None) -> None:
        """Have all work judged that needs it, and store each result as it arrives."""
        jobs = self._jobs(students)
        first = next(jobs, None)
        if first is None:
            return
        outcomes = judge_all(
            chain([first], jobs),
            self.grading.terms(scheduler),
            workers=workers,
            scheduler=scheduler,
            scratch=self.grading.folder.into,
        )
        with closing(outcomes):  # its workers end with it, even if something cannot be stored
            for outcome in outcomes:
                self._put_away(outcome)

    def _jobs(self, students: list[str]) -> Iterator[tuple[str, bytes]]:
        """Settle what needs no judging, and yield the other jobs on demand."""
        grading = self.grading
        entries = grading.ledger.entries(grading.work)
        all_marks = grading.book.all_marks()
        self.say("")
        for student in students:
            entry, submission = entries.get(student, Entry()), self.look(student)
            key = grading.key(submission)
            seed, again = self.seed_for(student), student in self.again
            if not again and grading.is_finished(student, entry, key, seed):
                self.done(
                    student, grading.refresh(student, entry, submission, all_marks.get(student))
                )
                continue
            prepared = grading.prepare(student, submission)
            if prepared.problem:
                self.done(student, grading.settle_nothing(prepared))
                continue
            goes_on = not again and entry.key == key and seed in (None, entry.seed)
            if goes_on and entry.state == ledger.JUDGED and self.commit(prepared, entry):
                continue
            entry.key = key
            if seed is not None:
                entry.seed = seed
            elif not (goes_on and entry.state == ledger.QUEUED) or entry.seed is None:
                # One that was in progress when a run was killed keeps its seed.
                entry.seed = secrets.randbits(62)
            self.under_way[student] = (prepared, entry)
            yield student, grading.job(prepared, entry.seed)

    def _put_away(self, outcome: Outcome) -> None:
        student = outcome.student
        prepared, entry = self.under_way.pop(student)
        self.report.executed.append(student)
        problem = outcome.problem
        if outcome.parcel is not None:
            self.grading.ledger.judged(self.grading.work, student, outcome.parcel)
            problem = "the judge returned something unexpected"
            if self.commit(prepared, entry, outcome.parcel):
                return
        self.report.unfinished.append(student)
        self.done(student, self.grading.give_up(prepared, problem))

    def commit(self, prepared: Prepared, entry: Entry, parcel: bytes | None = None) -> bool:
        """Store a judgement; returns whether there was a valid one."""
        grading, student = self.grading, prepared.student
        parcel = parcel or grading.ledger.result(grading.work, student)
        try:
            judged = unpack_judged(parcel or b"")
            self.done(student, grading.commit(prepared, entry, judged))
        except (Malformed, GradingFailed) as error:
            quiet_log().error("%s: %s", student, error)
            return False
        return True

    def done(self, student: str, result: StudentResult) -> None:
        """Record a finished student's result and report progress."""
        folder = self.grading.folder
        submission = self.handed_in.folders[student] / folder.problem_set
        keep_for_exchange(folder, student, submission, result.received)
        self.report.students[student] = result
        self.say(student)
