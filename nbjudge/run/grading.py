"""Grade for the command ``grade``: what it exports and shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from nbjudge.course import root
from nbjudge.intake import roster
from nbjudge.report import exports, filling, returning, show
from nbjudge.report.why import why as explained
from nbjudge.run import engine
from nbjudge.store.folder import GradingFolder
from nbjudge.store.results import Report


@dataclass
class Wanted:
    """What to write for learning platforms."""

    platforms: list[str]
    gradebook: Path | None
    column: str
    feedback_zip: tuple[str, Path] | None
    provisional: bool

    def check(self) -> None:
        """Refuse what cannot be done before anything is graded."""
        for kind in (*self.platforms, *(self.feedback_zip or ())[:1]):
            exports.check_kind(str(kind))
        if self.gradebook and len(self.platforms) != 1:
            raise ValueError("gradebook is given: name the platform it comes from with --export.")
        if self.gradebook and not self.gradebook.is_file():
            raise ValueError(f"gradebook is {str(self.gradebook)!r}, but there is no such file.")
        if self.column and not (self.gradebook and self.platforms == ["canvas"]):
            raise ValueError("column is only for --export canvas with --gradebook.")


@dataclass
class Graded:
    """A report, with the files written for learning platforms and what to say about them."""

    report: Report
    written: list[Path]
    remarks: list[str]

    def show(self, into: Path) -> None:
        """Print it."""
        console = Console()
        show.show_grades(self.report, console)
        show.show_files(self.report, into, self.written, console)
        show.show_remarks(self.report, self.remarks, console)


def explain(
    problem_set: str, submitted: Path, into: Path, why: tuple[str, str], db: str | None
) -> None:
    """Print why a student has this grade for an exercise."""
    show.show_why(explained(problem_set, submitted, into, *why, database=db), Console())


def grade(
    problem_set: str,
    submitted: Path,
    into: Path,
    wanted: Wanted,
    *,
    database: str | None,
    **options: Any,
) -> Graded:
    """Grade a class as :func:`nbjudge.run.engine.grade` does, with a progress bar, and export."""
    with show.progress_bar(Console()) as progress:
        report = engine.grade(
            problem_set, submitted, into, database=database, progress=progress, **options
        )
    return Graded(report, *_export(report, submitted, into, wanted, database))


def _export(
    report: Report, submitted: Path, into: Path, wanted: Wanted, db: str | None
) -> tuple[list[Path], list[str]]:
    """Write the files for learning platforms; returns their paths, and what to say about them."""
    people, provisional = roster.people(submitted), wanted.provisional
    written, remarks = [], []
    for kind in wanted.platforms:
        if wanted.gradebook:
            filled = filling.fill(
                kind, wanted.gradebook, report, people, into, provisional, wanted.column
            )
            written.append(filled.path)
            remarks += filled.remarks
        else:
            written.append(exports.write_export(kind, report, people, into, provisional))
    absent: list[str] = []
    if wanted.feedback_zip:
        folder = GradingFolder(into, root(), report.problem_set, db)
        returned = returning.write_zip(*wanted.feedback_zip, report, people, folder, provisional)
        written.append(returned.path)
        absent = returned.absent
    if written:
        filled_in = wanted.gradebook is not None
        remarks += exports.remarks(wanted.platforms, report, people, provisional, filled_in)
    if absent:
        remarks.append(f"The download has no file from: {', '.join(absent)}.")
    return written, remarks
