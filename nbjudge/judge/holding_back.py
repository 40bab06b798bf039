"""Hold back the points of tests that a wrong answer passes too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from nbjudge.intake import cells
from nbjudge.judge import names, outcome, weighing

if TYPE_CHECKING:
    from nbjudge.judge.findings import Findings
    from nbjudge.judge.job import Job


#: Prefix of the report's note on a test whose points are held back.
PASSES_WITH = "passes with "


def hold_back(job: Job, findings: Findings) -> None:
    """Take back points of tests that accept nothing if no test of the same values passes."""
    tests = {cells.grade_id(c): c for c in findings.cells if cells.is_test(c)}
    exercises: dict[str, list[str]] = {}
    for name in tests:
        exercises.setdefault(cells.exercise_of(name), []).append(name)
    for exercise, own in exercises.items():
        passed = {name for name in own if findings.passed(name)}
        bound = frozenset(job.names.get(exercise, ()))
        uses = {name: names.names_in(tests[name].source) & bound for name in own}
        for name in passed & job.accepts.keys():
            waits = weighing.waits_for(name, uses, job.accepts, passed)
            if waits:
                says = outcome.waiting(waits)
                seen = [*findings.tests[name].seen, f"{PASSES_WITH}{job.accepts[name]} too"]
                finding = findings.by_test[name]
                held = replace(finding, error="Mistake", says=says, printed="")
                findings.settle_again(tests[name], held, seen)
