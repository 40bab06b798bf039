"""Hold back the points of tests that a wrong answer passes too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode

from nbjudge.inside.wire import WireError
from nbjudge.intake import cells
from nbjudge.judge import names, outcome, weighing

if TYPE_CHECKING:
    from nbjudge.judge.examination import Examination
    from nbjudge.judge.findings import Findings
    from nbjudge.judge.job import Job


#: Prefix of the report's note on a test whose points are held back.
PASSES_WITH = "passes with "


def hold_back(job: Job, examination: Examination, findings: Findings) -> None:
    """Take back the points of hollow tests if no test of the same functions' values passes."""
    tests = {cells.grade_id(c): c for c in findings.cells if cells.is_test(c)}
    exercises: dict[str, list[str]] = {}
    for name in tests:
        exercises.setdefault(cells.exercise_of(name), []).append(name)
    for exercise, own in exercises.items():
        passed = {name for name in own if findings.passed(name)}
        # If all tests pass or none does, there is nothing to weigh.
        if len(own) == 1 or len(passed) == len(own) or not passed:
            continue
        hollow = _hollow(job, examination, findings, exercise)
        bound = frozenset(job.names.get(exercise, ()))
        uses = {name: names.names_in(tests[name].source) & bound for name in own}
        for name in passed & hollow.keys():
            waits = weighing.waits_for(name, uses, hollow, passed)
            if waits:
                says = outcome.waiting(waits)
                seen = [*findings.tests[name]["seen"], f"{PASSES_WITH}{hollow[name]} too"]
                found = {**findings.found[name], "error": "Mistake", "says": says, "printed": ""}
                findings.settle_again(tests[name], found, seen)


def _hollow(
    job: Job, examination: Examination, findings: Findings, exercise: str
) -> dict[str, str]:
    """The hollow tests of an exercise, each with a lie that it believes."""
    if not job.solution:
        return {}
    learners = {name for bound in job.names.values() for name in bound}
    learners |= examination.learners_names()
    steps = steps_of(job.solution, findings.cells, learners, exercise)

    def ask() -> dict[str, str] | None:
        try:
            return examination.weigh(steps, sorted(learners))
        except WireError as error:
            findings.notes.add(f"the tests of {exercise} could not be weighed: {error}")
            examination.end()
            return None

    return weighing.known(steps, ask)


def steps_of(
    solution: Mapping[str, str], every: list[NotebookNode], learners: set[str], exercise: str
) -> list[dict[str, Any]]:
    """The notebook with its solution, in the form for :func:`nbjudge.judge.lies.hollow`."""
    steps: list[dict[str, Any]] = []
    for cell in every:
        name = cells.grade_id(cell)
        if cells.is_test(cell):
            if cells.exercise_of(name) == exercise:
                steps.append({"test": name, "source": cell.source, "points": cells.points(cell)})
        elif name in solution:
            steps.append({"answer": solution[name]})
        elif cell.cell_type == "code" and cells.is_locked(cell):
            kind = "answer" if names.used(cell.source) & learners else "setup"
            steps.append({kind: cell.source})
    return steps
