"""Each problem set, its class graded once for all tests here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from types import SimpleNamespace

import pytest
from whole_class import COURSE, SANDBOXED, SEED, hand_in

from nbjudge.inside.program import program
from nbjudge.intake.release import make_release
from nbjudge.run.engine import grade


@pytest.fixture(scope="session")
def graded(tmp_path_factory) -> Callable[[str], SimpleNamespace]:
    """A function of the problem set's name that grades :mod:`whole_class`, once.

    Gives ``report``, and the folders ``course`` (a copy with a release of its own), ``submitted``
    and ``into``.
    """

    @cache
    def run(problem_set: str) -> SimpleNamespace:
        folder = tmp_path_factory.mktemp(problem_set)
        course = folder / "course"
        for name in ("_toc.yml", "nbgrader_config.py"):
            course.mkdir(exist_ok=True)
            shutil.copy(COURSE / name, course / name)
        shutil.copytree(COURSE / "solutions" / problem_set, course / "solutions" / problem_set)
        shutil.copytree(COURSE / program().told, course / program().told)
        make_release(problem_set, course)
        submitted, into = folder / "submitted", folder / "graded"
        hand_in(problem_set, course, submitted)
        # In this process: classes are graded side by side, and two workers for each would load
        # torch six times more than one does. Workers have tests of their own.
        report = grade(
            *(problem_set, submitted, into),
            course=course, seed=SEED, workers=1, sandboxed=SANDBOXED,
        )  # fmt: skip
        return SimpleNamespace(report=report, course=course, submitted=submitted, into=into)

    failed: dict[str, Exception] = {}

    def once(problem_set: str) -> SimpleNamespace:
        # What could not be graded is not tried again for each of its tests.
        if problem_set not in failed:
            try:
                return run(problem_set)
            except Exception as error:
                failed[problem_set] = error
        raise failed[problem_set]

    return once
