"""Where a learner stands: the result, from the record of grading and from the gradebook."""

from __future__ import annotations

import hashlib
from datetime import datetime

from nbjudge.intake import cells, roster
from nbjudge.intake.policy import Rules
from nbjudge.marking.record import Act, changed, last_acts, unrecorded
from nbjudge.marking.rubric import for_feedback
from nbjudge.store.folder import GradingFolder
from nbjudge.store.gradebook import Mark, Marks
from nbjudge.store.ledger import Ledger
from nbjudge.store.record import Adjustments, Record, TestRecord
from nbjudge.store.results import (
    NOT_KNOWN,
    NOTHING_WRITTEN,
    VOID,
    WAITS,
    StudentResult,
    TestResult,
    span,
)


class Standing:
    """The results of a class for one notebook.

    Parameters
    ----------
    folder, ledger:
        The folder of graded work and its ledger.
    graded:
        The points of each graded cell in the notebook.
    rules:
        The rules for the problem set.
    """

    def __init__(
        self, folder: GradingFolder, ledger: Ledger, graded: dict[str, float], rules: Rules
    ):
        self.folder, self.ledger, self.graded, self.rules = folder, ledger, graded, rules
        self.acts = last_acts(folder.into, folder.problem_set)
        self.marking = for_feedback(folder.into, folder.problem_set, folder.work)

    def result(
        self, student: str, record: Record, seed: int | None, marks: Marks | None
    ) -> StudentResult:
        """A student's result from the record and the current gradebook."""
        flags, told, tests, by_hand = list(record.flags), list(record.told), {}, {}
        marks = marks or Marks()
        for name, most in self.graded.items():
            mark, most = marks.grades.get(name), self.rules.carries(name, most)
            judged = record.tests.get(name, TestRecord())
            test = TestResult(mark.score if mark else 0.0, most)
            test.seconds, test.seen, test.measured = judged.seconds, judged.seen, judged.measured
            test.in_hidden = judged.in_hidden
            if name in self.rules.void:
                test.message, test.void = VOID, True
            elif test.score is None:
                flags.append(f"{name} {WAITS}")
            elif test.score < most:
                test.message = judged.message
                taken = record.prints is not None
                if taken and name.endswith(cells.WRITTEN) and name not in (record.prints or {}):
                    test.message = NOTHING_WRITTEN
            old = record.old_marks.get(name)
            if mark and mark.manual is not None and mark.waits and mark.manual == old:
                flags.append(f"{name} was marked by hand before the work changed: look again")
            if mark and mark.manual is not None and mark.manual == record.old_points.get(name):
                flags.append(f"{name} was marked by hand before its points changed: look again")
            tests[name] = test
            if mark and (mark.manual is not None or mark.extra):
                act = self.act(student, name, mark)
                by_hand[name] = act.says() if act else "not recorded"
                if act is None:
                    flags.append(unrecorded(name, mark.manual, mark.extra))
            wrote = record.auto.get(name, mark.auto if mark else None)
            if mark and mark.auto != wrote:
                flags.append(changed(name, mark.auto, wrote))
        if marks.late_seconds:
            cost = f"{marks.penalty:g} points deducted" if marks.penalty else "no points deducted"
            flags.append(f"came {span(marks.late_seconds)} late: {cost}")
            told.append(f"Your work came {span(marks.late_seconds)} late: {cost}.")
        elif record.digest and marks.due and not marks.received:
            if record.late is None:
                flags.append(f"{NOT_KNOWN}: {roster.RECEIPTS} does not say when it came in")
            elif record.late:
                flags.append(f"{NOT_KNOWN}: it came late, but {roster.RECEIPTS} does not say when")
        marking = self.marking.get(student, {})
        return StudentResult(
            tests,
            flags,
            seed,
            seconds=record.seconds,
            cpu_seconds=record.cpu_seconds,
            memory_mb=record.memory_mb,
            sandbox=record.sandbox,
            received=record.received,
            penalty=marks.penalty,
            comments=marks.comments,
            by_hand=by_hand,
            prints=record.prints or {},
            left_out=record.left_out,
            late_seconds=marks.late_seconds,
            digest=record.digest,
            told=told,
            held=self.held(student, record),
            by_item={
                name: marked["items"]
                for name, marked in marking.get("items", {}).items()
                if name in by_hand and marked["points"] == marks.grades[name].manual
            },
            requests=marking.get("requests", []),
        )

    def held(self, student: str, record: Record) -> list[str]:
        """Why a mark is not final, unless the instructor has accepted exactly this work."""
        if self.ledger.fact(f"{self.folder.work}: accepted {student}") == _seen(record):
            return []
        void = tuple(f"test {name} " for name in sorted(self.rules.void))
        return [why for why in record.held if not why.startswith(void)]

    def accept(self, student: str) -> None:
        """Record that the instructor has looked at what holds this mark."""
        record = self.ledger.entry(self.folder.work, student).record
        if record and record.held:
            self.ledger.note(f"{self.folder.work}: accepted {student}", _seen(record))

    def adjustments(self) -> Adjustments:
        """The tests currently void or rescaled."""
        return sorted(self.rules.void), sorted(self.rules.points.items())

    def shown(self, student: str, record: Record, marks: Marks | None) -> str:
        """Everything on a page that may change without the notebook being run again."""
        held = self.held(student, record)
        marked = self.marking.get(student)
        shown = (marks.shown() if marks else "", self.adjustments(), held)
        return repr((*shown, marked) if marked else shown)

    def act(self, student: str, name: str, mark: Mark) -> Act | None:
        """The recorded act that gave a manual mark; ``None`` if none is known."""
        for fresh in (False, True):
            if fresh:  # it may have been given during this run
                self.acts = last_acts(self.folder.into, self.folder.problem_set)
            act = self.acts.get((student, name))
            if act and (act.points, act.extra or 0.0) == (mark.manual, mark.extra or 0.0):
                return act
        return None


def _seen(record: Record) -> str:
    """A digest of the work and of what holds its mark: it changes with either."""
    parts = [record.digest, record.enclosed, *record.held]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def written_time(when: datetime | None) -> str:
    """A time in the report's format; empty if unknown."""
    return when.isoformat(timespec="seconds") if when else ""
