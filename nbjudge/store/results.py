"""The results of grading for a test, an exercise, a student and a class, and their files."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from nbjudge.files import write_whole
from nbjudge.inside.messages import Malformed, from_json
from nbjudge.intake.cells import exercise_of
from nbjudge.intake.which import NOTHING

_Kind = TypeVar("_Kind")

#: Ending of the flag for a cell without a score yet.
WAITS = "awaits manual marking"

#: Message for a written answer that is still the stub.
NOTHING_WRITTEN = "Nothing was written."

#: Replaces a time that only the learner vouches for.
NOT_KNOWN = "time not known"

#: Message for a test that the instructor has declared void.
VOID = "This test no longer counts. Everyone gets its points."

#: File in the folder of graded work with the reports of all its problem sets.
REPORTS = "report.json"

#: The columns of grades.csv that come before and after the exercises'.
FIRST_COLUMNS = ("student", "problem set", "score", "max score")
LAST_COLUMNS = ("raw score", "penalty", "received", "late by", "provisional", "flags")


@dataclass
class TestResult:
    """One test, or one written answer.

    ``score`` is ``None`` while it awaits manual marking; ``void`` says that the instructor has
    declared the test void; ``measured`` holds the numbers that the test measured, by name;
    ``in_hidden`` says that what is shown of the test passed, and its hidden half decided.
    """

    __test__ = False  # pytest would collect a class of this name

    score: float | None
    max_score: float
    message: str = ""
    seconds: float = 0.0
    seen: list[str] = field(default_factory=list)
    void: bool = False
    measured: dict[str, float] = field(default_factory=dict)
    in_hidden: bool = False


@dataclass
class ExerciseResult:
    """One exercise: the sum of its tests; ``score`` is ``None`` while one awaits marking."""

    score: float | None
    max_score: float


@dataclass
class StudentResult:
    """One student's work.

    ``seed`` is the seed of the hidden tests' inputs, with which the same grading can be replayed.
    ``seconds``, ``cpu_seconds`` and ``memory_mb`` say what running it took; ``sandbox`` which
    sandbox it ran in, empty if nothing was run; ``received`` when it came in, empty if only the
    learner says so; ``penalty`` the late penalty in points; ``comments`` a person's comments
    by cell; ``by_hand`` the manual marks by cell, each with who gave it and when; ``prints`` the
    answers' fingerprints; ``digest`` that of the file, empty if there is none; ``told`` what was
    noticed, in a learner's words; ``held`` why the mark is not final until the instructor has
    looked; ``by_item`` the points by rubric item, by cell; ``requests`` the learner's regrade
    requests with their answers.
    """

    tests: dict[str, TestResult]
    flags: list[str] = field(default_factory=list)
    seed: int | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0
    sandbox: str = ""
    received: str = ""
    penalty: float = 0.0
    comments: dict[str, str] = field(default_factory=dict)
    by_hand: dict[str, str] = field(default_factory=dict)
    prints: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    late_seconds: float = 0.0
    digest: str = ""
    told: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    by_item: dict[str, list[dict]] = field(default_factory=dict)
    requests: list[dict] = field(default_factory=list)

    @property
    def missing(self) -> bool:
        """Whether nothing was handed in, not even a file that cannot be read."""
        return not (self.digest or self.held) and any(
            flag == NOTHING or flag.endswith(f": {NOTHING}") for flag in self.flags
        )

    @property
    def raw_score(self) -> float:
        """Points so far, before the late penalty; what awaits marking counts as 0."""
        return sum(test.score or 0.0 for test in self.tests.values())

    @property
    def score(self) -> float:
        """Points so far; what awaits manual marking counts as 0."""
        return max(0.0, self.raw_score - self.penalty)

    @property
    def max_score(self) -> float:
        """The maximum number of points."""
        return sum(test.max_score for test in self.tests.values())

    @property
    def waiting(self) -> float:
        """The number of points that await manual marking."""
        return sum(test.max_score for test in self.tests.values() if test.score is None)

    @property
    def exercises(self) -> dict[str, ExerciseResult]:
        """The exercises in the order of the problem set."""
        exercises: dict[str, ExerciseResult] = {}
        for name, test in self.tests.items():
            exercise = exercises.setdefault(exercise_of(name), ExerciseResult(0.0, 0.0))
            before = exercise.score
            waits = before is None or test.score is None
            exercise.score = None if waits else (before or 0.0) + (test.score or 0.0)
            exercise.max_score += test.max_score
        return exercises


class Mistaken(NamedTuple):
    """A mistake in an exercise, and the students who made it.

    ``known_as`` names the wrong answer that it matches, as ``EXERCISE/NAME``, empty if there is
    none; ``message`` describes it, or is what the test said.
    """

    exercise: str
    known_as: str
    message: str
    students: list[str]


@dataclass
class Report:
    """A class's work on one problem set.

    ``executed`` names the students whose notebooks were run this time; the other results are from
    earlier runs. ``warnings`` holds what a reader of the grades must know, such as that there was
    no sandbox. ``unfinished`` names those whose work could not be judged; the next run tries again.
    ``mistakes`` holds the mistakes made, most common first.
    """

    problem_set: str
    students: dict[str, StudentResult]
    executed: list[str] = field(default_factory=list)
    started: str = ""
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    limits: dict[str, float] = field(default_factory=dict)
    mistakes: list[Mistaken] = field(default_factory=list)

    @property
    def exercises(self) -> list[str]:
        """The exercises' names, in order."""
        return list(
            dict.fromkeys(name for student in self.students.values() for name in student.exercises)
        )

    def is_provisional(self, student: str) -> bool:
        """Whether a score may still change: marking or a look is missing, or judging failed."""
        result = self.students[student]
        return result.waiting > 0 or bool(result.held) or student in self.unfinished

    def state(self, student: str) -> str:
        """What to know about a score: ``"held"``, ``"missing"``, ``"provisional"`` or nothing."""
        result = self.students[student]
        if result.held:
            return "held"
        if result.missing:
            return "missing"
        return "provisional" if self.is_provisional(student) else ""

    @property
    def held(self) -> list[str]:
        """The students whose marks rest on something that the instructor has to look at."""
        return [name for name, student in self.students.items() if student.held]

    @property
    def provisional(self) -> list[str]:
        """The students whose scores may still change."""
        return [name for name in self.students if self.is_provisional(name)]

    def as_dict(self) -> dict:
        """The report as stored in report.json."""
        return {
            "problem_set": self.problem_set,
            "started": self.started,
            "seconds": round(self.seconds, 2),
            "warnings": self.warnings,
            "versions": self.versions,
            "limits": self.limits,
            "executed": self.executed,
            "unfinished": self.unfinished,
            "mistakes": self.mistakes,
            "students": {
                name: {
                    "score": student.score,
                    "max_score": student.max_score,
                    "seed": student.seed,
                    "seconds": round(student.seconds, 2),
                    "cpu_seconds": round(student.cpu_seconds, 2),
                    "memory_mb": round(student.memory_mb),
                    "sandbox": student.sandbox,
                    "received": student.received,
                    "received_known": bool(student.received),
                    "late_seconds": student.late_seconds,
                    "raw_score": student.raw_score,
                    "penalty": student.penalty,
                    "waiting": student.waiting,
                    "provisional": self.is_provisional(name),
                    "held": student.held,
                    "digest": student.digest,
                    "flags": student.flags,
                    "by_hand": student.by_hand,
                    "exercises": {
                        exercise: asdict(result) for exercise, result in student.exercises.items()
                    },
                    "tests": {
                        test: {**asdict(result), "seconds": round(result.seconds, 3)}
                        for test, result in student.tests.items()
                    },
                }
                for name, student in self.students.items()
            },
        }

    def rows(self) -> list[dict[str, str]]:
        """The report as stored in grades.csv: a row for each student."""
        return [
            {
                "student": as_cell(name),
                "problem set": self.problem_set,
                "score": f"{student.score:g}",
                "max score": f"{student.max_score:g}",
                **{
                    exercise: "" if result.score is None else f"{result.score:g}"
                    for exercise, result in student.exercises.items()
                },
                "raw score": f"{student.raw_score:g}",
                "penalty": f"{student.penalty:g}",
                "received": student.received or (NOT_KNOWN if student.digest else ""),
                "late by": span(student.late_seconds) if student.late_seconds else "",
                "provisional": "yes" if self.is_provisional(name) else "no",
                "flags": as_cell("; ".join(student.flags)),
            }
            for name, student in self.students.items()
        ]


def joined(reports: dict[str, Report]) -> Report:
    """A problem set's report, merged from those of its notebooks by name."""
    whole, *others = reports.values()
    if not others:
        return whole
    for report in others:
        whole.warnings += [text for text in report.warnings if text not in whole.warnings]
        whole.executed += [name for name in report.executed if name not in whole.executed]
        whole.unfinished += [name for name in report.unfinished if name not in whole.unfinished]
    whole.students = {
        student: _together({name: report.students[student] for name, report in reports.items()})
        for student in whole.students
    }
    return whole


def _together(parts: dict[str, StudentResult]) -> StudentResult:
    """A student's result, merged from those in each notebook.

    A test name that occurs in several notebooks becomes ``NOTEBOOK/TEST`` in all but the first.
    """
    whole = StudentResult({})
    for notebook, part in parts.items():
        names = {n: f"{notebook}/{n}" if n in whole.tests else n for n in part.tests}
        whole.tests |= {names[name]: test for name, test in part.tests.items()}
        whole.comments |= {names.get(n, n): text for n, text in part.comments.items()}
        whole.by_hand |= {names.get(n, n): who for n, who in part.by_hand.items()}
        whole.by_item |= {names.get(n, n): items for n, items in part.by_item.items()}
        whole.requests += [one for one in part.requests if one not in whole.requests]
        whole.prints |= {names.get(n, n): text for n, text in part.prints.items()}
        whole.flags += [f"{notebook}: {flag}" for flag in part.flags]
        whole.told += [f"{notebook}: {text}" for text in part.told]
        whole.held += [f"{notebook}: {why}" for why in part.held]
        whole.left_out += [name for name in part.left_out if name not in whole.left_out]
        whole.seed = part.seed if whole.seed is None else whole.seed
        whole.seconds += part.seconds
        whole.cpu_seconds += part.cpu_seconds
        whole.memory_mb = max(whole.memory_mb, part.memory_mb)
        whole.sandbox, whole.received = whole.sandbox or part.sandbox, part.received
        whole.penalty += part.penalty
        whole.late_seconds = max(whole.late_seconds, part.late_seconds)
        whole.digest += part.digest
    return whole


def span(seconds: float) -> str:
    """A duration in words: ``3 h``, ``2 days``."""
    for unit, size in (("days", 2 * 86400), ("h", 2 * 3600), ("min", 120)):
        if seconds >= size:
            return f"{seconds / (size / 2):.0f} {unit}"
    return f"{seconds:.0f} s"


_FORMULA = re.compile(r"(^|[;\n|][ \"']*)(?=[=+\-@\t\r＝＋－＠])")


def as_cell(text: str) -> str:
    """Text made safe for a cell of a CSV file.

    No spreadsheet reads it as a formula, not even one that separates cells at semicolons.
    """
    return _FORMULA.sub(r"\1'", text)


def read_reports(into: Path) -> dict[str, Report]:
    """The reports stored in a folder of graded work, by problem set; empty if there are none.

    They come in the order in which the problem sets were graded first. Of a student's result they
    have what ``report.json`` holds: no comments and no fingerprints. A file that holds
    anything else raises ``ValueError``.
    """
    return _stored(into, dict[str, Report])


def _stored(into: Path, kind: type[_Kind]) -> _Kind:
    path = into / REPORTS
    try:
        return from_json(path.read_text("utf-8") if path.is_file() else "{}", kind)
    except Malformed as error:
        raise ValueError(
            f"{path} cannot be read: {error}. Move it away and grade its problem sets again: what "
            "was judged is kept, and only the tables are written anew."
        ) from None


def write_report(report: Report, into: Path) -> None:
    """Write ``report.json`` and ``grades.csv`` to ``into``.

    Rows of other problem sets graded there are kept.
    """
    path, every = into / REPORTS, _stored(into, dict[str, dict])
    every[report.problem_set] = {**report.as_dict(), "rows": report.rows()}
    write_whole(path, json.dumps(every, indent=1, ensure_ascii=False) + "\n")
    rows = [row for name in sorted(every) for row in every[name]["rows"]]
    outer = (*FIRST_COLUMNS, *LAST_COLUMNS)
    # In the order in which the problem sets were graded first: a new one's columns come last.
    known = (row for stored in every.values() for row in stored["rows"])
    exercises = list(dict.fromkeys(name for row in known for name in row if name not in outer))
    text = io.StringIO(newline="")
    table = csv.DictWriter(
        text, [*FIRST_COLUMNS, *exercises, *LAST_COLUMNS], restval="", lineterminator="\n"
    )
    table.writeheader()
    table.writerows(rows)
    write_whole(into / "grades.csv", text.getvalue())
