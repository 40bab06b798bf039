"""A result in Gradescope's format, results.json.

Most tests have a part that students see and a part that is hidden. Gradescope knows only whole
tests, so these become two: the visible part without points, shown at once, and the whole test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from nbjudge.gradescope import HIDDEN, VISIBLE
from nbjudge.intake import cells
from nbjudge.judge.halves import shows
from nbjudge.report.feedback import NOT_FINAL
from nbjudge.store.results import WAITS, Report, StudentResult, TestResult

#: Added to the names of the two halves of a test.
IN_SIGHT, IN_FULL = " (visible part)", " (with its hidden part)"

#: Output of the visible part of a test if nothing is wrong there.
PASSES_SO_FAR = "What you see of this test passes. Its points depend on the hidden part, too."


def results(report: Report, sources: Mapping[str, str], hidden: str) -> dict[str, Any]:
    """The content of results.json for a report on one submission.

    Parameters
    ----------
    report:
        The report; it has a single student.
    sources:
        The instructor's test cells by name. What else is graded is marked by hand.
    hidden:
        When students see hidden tests: one of :data:`nbjudge.gradescope.VISIBILITIES`.
    """
    ((name, student),) = report.students.items()
    tests = []
    if student.seed is not None:  # something was run
        tests = list(_tests(student, sources, hidden))
    lines = [NOT_FINAL] if student.held or name in report.unfinished else []
    lines += student.told
    if student.missing:
        lines.append(f"Upload {report.problem_set}.ipynb.")
    by_hand = {n: test for n, test in student.tests.items() if tests and n not in sources}
    lines += [f"{n}, {t.max_score:g} points: {t.message or WAITS}" for n, t in by_hand.items()]
    return {
        "score": sum((test.get("score", 0.0) for test in tests), 0.0),
        "execution_time": round(report.seconds),
        "output": "\n".join(lines),
        "visibility": VISIBLE,
        "stdout_visibility": HIDDEN,
        "extra_data": {"held": student.held, "seed": student.seed, "sandbox": student.sandbox},
        "tests": tests,
    }


def _tests(
    student: StudentResult, sources: Mapping[str, str], hidden: str
) -> Iterator[dict[str, Any]]:
    exercises, count = list(student.exercises), Counter[str]()
    for name, test in student.tests.items():
        if name not in sources:
            continue
        exercise = cells.exercise_of(name)
        for one in _halves(name, test, sources[name], hidden):
            count[exercise] += 1
            number = f"{exercises.index(exercise) + 1}.{count[exercise]}"
            yield {"number": number, "output_format": "text", "tags": [exercise], **one}


def _halves(name: str, test: TestResult, source: str, hidden: str) -> Iterator[dict[str, Any]]:
    """A test, in two if only a part of it is shown at once."""
    score = test.score or 0.0
    whole = {
        "name": name,
        "score": score,
        "max_score": test.max_score,
        "status": _status(score >= test.max_score),
        "output": test.message,
        "visibility": VISIBLE,
    }
    if not cells.has_hidden_tests(source) or hidden == VISIBLE:
        yield whole
        return
    if shows(source):
        yield {
            "name": f"{name}{IN_SIGHT}",
            "status": _status(test.in_hidden),
            "output": PASSES_SO_FAR if test.in_hidden else test.message,
            "visibility": VISIBLE,
        }
        whole["name"] = f"{name}{IN_FULL}"
    yield {**whole, "visibility": hidden}


def _status(passed: bool) -> str:
    return "passed" if passed else "failed"
