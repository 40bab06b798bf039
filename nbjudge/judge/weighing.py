"""Which tests of a problem set an answer that computes nothing passes; a release finds it out.

The tests are run by :mod:`nbjudge.judge.lies` in a process of their own: see :mod:`.scales`.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from nbjudge.inside.messages import from_json, to_json
from nbjudge.intake import cells, enclosures
from nbjudge.judge import names
from nbjudge.judge.believed import Believed, ToWeigh, WeighedCell

#: The program that runs the tests.
PROCESS = "nbjudge.judge.scales"


def waits_for(
    name: str, uses: Mapping[str, frozenset[str]], accepts: Mapping[str, str], passed: set[str]
) -> list[str]:
    """The functions of a test that accepts nothing, if no test of their values passes.

    Parameters
    ----------
    name:
        The test's name.
    uses:
        The learner's functions used by each test of the exercise.
    accepts, passed:
        The tests that accept an answer that computes nothing, and those that pass.
    """
    sound = {test: functions for test, functions in uses.items() if test not in accepts}
    wanted = uses[name] or frozenset().union(*sound.values())
    return [
        function
        for function in sorted(wanted)
        if any(function in functions for functions in sound.values())
        and not any(function in functions for test, functions in sound.items() if test in passed)
    ]


def steps_of(notebook: NotebookNode, folder: Path) -> ToWeigh:
    """An instructor's notebook; ``folder`` holds the files that the solution hands in with it."""
    solution = names.solution_of(notebook)
    learners = {name for bound in names.names_of(notebook).values() for name in bound}
    steps: list[WeighedCell] = []
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if cells.is_test(cell):
            points = cells.points(cell)
            steps.append(WeighedCell(test=name, source=cell.source, points=points))
        elif name in solution:
            steps.append(WeighedCell(answer=solution[name]))
        elif cell.cell_type == "code" and cells.is_locked(cell):
            theirs = names.used(cell.source) & learners
            # What it computes from a learner's answer is the learner's.
            learners |= names.bound(cell.source) if theirs else set()
            step = {"answer" if theirs else "setup": cell.source}
            steps.append(WeighedCell(**step))
    own = enclosures.own(folder, enclosures.declared(notebook))
    return ToWeigh(cells=steps, learners=sorted(learners), files=enclosures.digest(own))


def digest(steps: ToWeigh) -> str:
    """SHA-256 of what :func:`steps_of` has found."""
    return hashlib.sha256(to_json(steps).encode()).hexdigest()


def weigh(steps: ToWeigh, folder: Path) -> dict[str, Believed]:
    """The tests of a notebook that accept an answer that computes nothing, each with a lie.

    They run in a process of their own, since tests may change anything in theirs; the same ones
    only once.

    Parameters
    ----------
    steps:
        From :func:`steps_of`.
    folder:
        Where they run: the instructor's, with the files that are handed in beside the notebook.

    Raises
    ------
    ValueError
        If they cannot be run; the message says why.
    """
    if not any(cells.has_hidden_tests(cell.source) for cell in steps.cells):
        return {}  # a learner can know all that is tested: no test is better than another
    if (key := digest(steps)) not in _weighed:
        _weighed[key] = _weigh(steps, folder)
    return _weighed[key]


#: What this process has found, by the digest of the notebook's steps.
_weighed: dict[str, dict[str, Believed]] = {}

#: The process that has loaded what weighing needs.
_server: subprocess.Popen[str] | None = None


def _weigh(steps: ToWeigh, folder: Path) -> dict[str, Believed]:
    global _server
    if _server is None or _server.poll() is not None:
        path = os.pathsep.join(os.path.abspath(part) for part in sys.path)
        _server = subprocess.Popen(
            [sys.executable, "-m", PROCESS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        atexit.register(_server.kill)
    assert _server.stdin is not None and _server.stdout is not None
    print(to_json((str(folder), steps)), file=_server.stdin, flush=True)
    line = _server.stdout.readline() or '"its process ended"'
    reply: Any = from_json(line, dict[str, Believed], str)
    if isinstance(reply, str):
        raise ValueError(f"the tests in {folder.name} cannot be run with its solution: {reply}")
    return reply


def refuse(problem_set: str, believed: Mapping[str, Believed], tests: list[str]) -> None:
    """Refuse a problem set in which someone who computes nothing would get points.

    Parameters
    ----------
    problem_set:
        Its name.
    believed:
        What :func:`weigh` has found.
    tests:
        The names of all its tests.

    Raises
    ------
    ValueError
        If a test accepts a lie about one of several results, or if all tests of an exercise accept
        lies; the message names the test and the lie.
    """
    for test, verdict in believed.items():
        own = [one for one in tests if cells.exercise_of(one) == cells.exercise_of(test)]
        if verdict.part:
            raise ValueError(
                f"problem_set {problem_set!r}: the test {test} accepts {verdict.lie} of a function "
                "that returns several. Have the test compare this result too."
            )
        if verdict.lied and all(one in believed for one in own):
            raise ValueError(
                f"problem_set {problem_set!r}: no test of {cells.exercise_of(test)} notices an "
                f"answer that computes nothing; {test} accepts {verdict.lie}. Have a hidden test "
                "compare what is returned with what is right."
            )
