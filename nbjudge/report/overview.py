"""The instructor's page for a problem set: results, common mistakes, students to look at."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

from nbjudge.answers import Variant, load_variants
from nbjudge.course import sources
from nbjudge.files import write_whole
from nbjudge.intake import cells
from nbjudge.likeness.compare import rarity
from nbjudge.report import pages
from nbjudge.report.items import FEWEST, items
from nbjudge.store.results import NOT_KNOWN, WAITS, Mistaken, Report, StudentResult

if TYPE_CHECKING:
    from nbjudge.store.folder import GradingFolder

#: Maximum number of rows in the tables of common mistakes and of slow notebooks.
MOST = 15

#: Number of bars in the score distribution.
BARS = 10

#: Submissions with fewer code answers than this are alike by chance.
MIN_ALIKE = 3

#: The same answer is listed if its rarity is at least this: for two of sixty learners it is 1.
RARE = 0.5


def write_overview(report: Report, folder: GradingFolder) -> Path:
    """Write ``overview/PS.html``; returns its path."""
    path = folder.into / pages.OVERVIEWS / f"{report.problem_set}.html"
    write_whole(path, overview(report, folder.into))
    return path


def mistakes(report: Report, course: Path) -> list[Mistaken]:
    """The mistakes in the notebooks that were run, named after the course's known wrong answers."""
    return commonest(_run(report), load_variants(sources(course) / report.problem_set))


def _run(report: Report) -> dict[str, StudentResult]:
    return {name: student for name, student in report.students.items() if student.seed is not None}


def overview(report: Report, into: Path) -> str:
    """The page as HTML; ``into`` holds the learners' pages, to which it links."""
    students, run = report.students, _run(report)
    return pages.page(
        "overview.html.j2",
        report=report,
        students=students,
        run=run,
        bars=distribution(students),
        middle=median(s.score for s in students.values()) if students else 0,
        average=mean(s.score for s in students.values()) if students else 0,
        not_run=len(students) - len(run),
        most=max((s.max_score for s in students.values()), default=0),
        waiting=sum(s.waiting > 0 for s in students.values()),
        held={name: s.held for name, s in students.items() if s.held},
        late=[name for name, s in students.items() if s.late_seconds],
        untimed=[n for n, s in students.items() if any(f.startswith(NOT_KNOWN) for f in s.flags)],
        void=list(dict.fromkeys(t for s in run.values() for t, r in s.tests.items() if r.void)),
        exercises=_exercises(run),
        mistakes=report.mistakes[:MOST],
        items=items(report),
        fewest=FEWEST,
        feedback={n: pages.feedback_links(into, n, report.problem_set) for n in students},
        slowest=sorted(run.items(), key=lambda item: -item[1].seconds)[:MOST],
        flagged=_flagged(students),
        by_hand={name: s.by_hand for name, s in students.items() if s.by_hand},
        seen=_seen(run),
        left_out={name: s.left_out for name, s in students.items() if s.left_out},
        alike=identical(students),
    )


def distribution(students: dict[str, StudentResult]) -> list[tuple[str, int]]:
    """The number of students in each tenth of the points already marked."""
    counts = [0] * BARS
    for student in students.values():
        marked = student.max_score - student.waiting
        share = student.score / marked if marked else 0.0
        counts[min(BARS - 1, int(share * BARS))] += 1
    step = 100 // BARS
    return [(f"{i * step}–{(i + 1) * step} %", count) for i, count in enumerate(counts)]


def _exercises(run: dict[str, StudentResult]) -> list[dict]:
    """For each exercise its points, its mean score and how learners did.

    The latter counts those with full marks, those awaiting marking, and those without an answer.
    """
    rows = []
    names = dict.fromkeys(name for student in run.values() for name in student.exercises)
    for name in names:
        results = [student.exercises[name] for student in run.values()]
        scores = [result.score for result in results if result.score is not None]
        rows.append(
            {
                "name": name,
                "carries": results[0].max_score,
                "mean": mean(scores) if scores else None,
                "full": sum(r.score is not None and r.score >= r.max_score for r in results),
                "waits": len(results) - len(scores),
                "empty": sum(name not in answered(student) for student in run.values()),
            }
        )
    return rows


def commonest(run: dict[str, StudentResult], variants: dict[str, list[Variant]]) -> list[Mistaken]:
    """The mistakes, most common first, each with its exercise and the variant that it matches."""
    made: dict[tuple[str, str, str], list[str]] = {}
    for name, student in run.items():
        for exercise in answered(student):
            lost = {
                test: result.message
                for test, result in student.tests.items()
                if cells.exercise_of(test) == exercise
                and result.score is not None
                and result.score < result.max_score
                and result.message
            }
            if lost:
                void = {test for test, result in student.tests.items() if result.void}
                variant = match(lost, variants.get(exercise, []), void)
                about = variant.about if variant else _general(next(iter(lost.values())))
                label = f"{exercise}/{variant.name}" if variant else ""
                made.setdefault((exercise, label, about), []).append(name)
    return sorted(
        (Mistaken(*what, who) for what, who in made.items()),
        key=lambda row: (-len(row.students), row[:3]),
    )


def answered(student: StudentResult) -> list[str]:
    """The exercises that have an answer."""
    written = {cells.exercise_of(name) for name in student.prints}
    return [exercise for exercise in student.exercises if exercise in written]


def match(
    lost: dict[str, str], variants: list[Variant], void: Collection[str] = ()
) -> Variant | None:
    """The wrong variant of an exercise that fails exactly these tests with matching messages.

    It may fail tests that are void as well, whose points nobody loses. If there are several
    variants, the one whose pattern matches the most text.
    """
    best, most = None, 0
    for variant in variants:
        if variant.right or set(variant.loses) - set(void) != set(lost):
            continue
        matches = [re.search(variant.match, message, re.IGNORECASE) for message in lost.values()]
        fits = sum(len(one.group()) for one in matches if one)
        if fits > most:
            best, most = variant, fits
    return best


def _general(message: str) -> str:
    """A message's first line without its numbers, so that similar mistakes count as one."""
    first = message.strip().splitlines()[0] if message.strip() else ""
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "…", first)[:200]


def _flagged(students: dict[str, StudentResult]) -> dict[str, list[str]]:
    flagged = {
        name: [flag for flag in student.flags if not flag.endswith(WAITS)]
        for name, student in students.items()
    }
    return {name: flags for name, flags in flagged.items() if flags}


def _seen(run: dict[str, StudentResult]) -> dict[str, list[str]]:
    """The judge's notes on tests, whatever their points."""
    notes_of = {
        name: [f"{test}: {note}" for test, result in student.tests.items() for note in result.seen]
        for name, student in run.items()
    }
    return {name: notes for name, notes in notes_of.items() if notes}


def identical(students: dict[str, StudentResult]) -> list[tuple[str, list[str]]]:
    """Students whose answers are the same: all code answers first, then exercise by exercise.

    Layout, comments and variable names make no difference: see :func:`fingerprints
    <nbjudge.store.digests.fingerprints>`. An answer that many have is left out, and so are groups
    that are the same in all code answers anyway. :mod:`nbjudge.report.likeness` finds answers that
    are merely similar.
    """
    whole: dict[tuple, list[str]] = {}
    single: dict[str, dict[str, list[str]]] = {}
    for name, student in students.items():
        code = {a: one for a, one in student.prints.items() if not a.endswith(cells.WRITTEN)}
        if len(code) >= MIN_ALIKE:
            whole.setdefault(tuple(sorted(code.items())), []).append(name)
        for answer, one in student.prints.items():
            single.setdefault(answer, {}).setdefault(one, []).append(name)
    every = [("every code answer", who) for who in whole.values() if len(who) > 1]
    known = [set(who) for _, who in every]
    shared = []
    for answer, groups in single.items():
        of = sum(map(len, groups.values()))
        for who in groups.values():
            listed = answer.endswith(cells.WRITTEN) or not any(set(who) <= one for one in known)
            if listed and rarity(len(who), of) >= RARE:
                shared.append((answer, who))
    return sorted(every, key=lambda row: (-len(row[1]), row)) + shared
